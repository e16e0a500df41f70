# FastAPI Users with two ways to be ada: a signed token that nobody can take back, and a cookie that the database knows.
import asyncio, os, sys, uuid
from fastapi import Depends, FastAPI
from fastapi_users import BaseUserManager, FastAPIUsers, UUIDIDMixin, schemas
from fastapi_users.authentication import (
    AuthenticationBackend, BearerTransport, CookieTransport, JWTStrategy)
from fastapi_users.authentication.strategy.db import DatabaseStrategy
from fastapi_users_db_sqlalchemy import SQLAlchemyBaseUserTableUUID, SQLAlchemyUserDatabase
from fastapi_users_db_sqlalchemy.access_token import SQLAlchemyAccessTokenDatabase, SQLAlchemyBaseAccessTokenTableUUID
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase
import uvicorn
folder, port, secret = sys.argv[1], int(sys.argv[2]), os.urandom(32).hex()
class Base(DeclarativeBase): pass
class User(SQLAlchemyBaseUserTableUUID, Base): pass
class AccessToken(SQLAlchemyBaseAccessTokenTableUUID, Base): pass
engine = create_async_engine("sqlite+aiosqlite:///%s/db" % folder)
session_maker = async_sessionmaker(engine, expire_on_commit=False)
async def session():
    async with session_maker() as session: yield session
class UserManager(UUIDIDMixin, BaseUserManager[User, uuid.UUID]): pass
async def manager(session=Depends(session)): yield UserManager(SQLAlchemyUserDatabase(session, User))
def signed(): return JWTStrategy(secret=secret, lifetime_seconds=3600)
async def kept(session=Depends(session)):
    return DatabaseStrategy(SQLAlchemyAccessTokenDatabase(session, AccessToken), lifetime_seconds=3600)
jwt = AuthenticationBackend("jwt", BearerTransport("jwt/login"), signed)
cookie = AuthenticationBackend("cookie", CookieTransport(cookie_secure=False), kept)
users = FastAPIUsers[User, uuid.UUID](manager, [jwt, cookie])
app = FastAPI()
for backend in [jwt, cookie]: app.include_router(users.get_auth_router(backend), prefix="/" + backend.name)
app.include_router(users.get_users_router(schemas.BaseUser[uuid.UUID], schemas.BaseUserUpdate), prefix="/users")
async def serve():
    async with engine.begin() as connection: await connection.run_sync(Base.metadata.create_all)
    async with session_maker() as session:
        users = UserManager(SQLAlchemyUserDatabase(session, User))
        await users.create(schemas.BaseUserCreate(email="ada@example.org", password=os.environ["PASSWORD"]))
    await uvicorn.Server(uvicorn.Config(app, "127.0.0.1", port, log_level="warning")).serve()
asyncio.run(serve())
