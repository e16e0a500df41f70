# The client of the SDK, with authctl before the service: mcp_client.py MODE TOOL CALLS AUTHCTL ARGUMENTS...
# Prints a line for each thing that it has seen.
import asyncio, os, sys
from mcp import Client, StdioServerParameters
mode, tool, calls, command, arguments = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5:]
async def main():
    server = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
    async with Client(server, mode=mode) as client:
        print("connected", flush=True)
        listed = await client.list_tools()
        print("lists " + " ".join(tool.name for tool in listed.tools), flush=True)
        answers = await asyncio.gather(*[client.call_tool(tool, {}) for _ in range(calls)])
        print(f"{len(answers)} answers: " + " ".join(sorted({answer.content[0].text for answer in answers})), flush=True)
    print("closed", flush=True)
def faults(error):
    return [one for inner in error.exceptions for one in faults(inner)] if isinstance(error, BaseExceptionGroup) else [error]
try:
    asyncio.run(main())
except BaseException as error:
    for fault in faults(error): print(f"{type(fault).__name__}: {fault}", flush=True)
