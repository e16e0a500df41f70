# authctl. GNU make; `make help` lists what can be asked for.

PREFIX  ?= /usr/local
DESTDIR ?=

AUTHCTL     := .build/release/authctl
DEMO_SERVER := .build/release/demo-backend
SBOM        := .build/release/authctl.spdx.json
DEMO_SBOM   := .build/release/authctl-demo.spdx.json

# A folder in which the linker finds libstdc++ and libgcc as archives alone: shared ones cost 1 ms at every start.
ARCHIVES := $(CURDIR)/.build/archives

bin        := $(DESTDIR)$(PREFIX)/bin
man        := $(DESTDIR)$(PREFIX)/share/man
doc        := $(DESTDIR)$(PREFIX)/share/doc/authctl
demo       := $(DESTDIR)$(PREFIX)/libexec/authctl-demo
presets    := $(DESTDIR)$(PREFIX)/share/authctl/presets
bash_place := $(DESTDIR)$(PREFIX)/share/bash-completion/completions/authctl
# Debian's packages have their own place for zsh.
ZSH_FOLDER ?= $(PREFIX)/share/zsh/site-functions
zsh_place  := $(DESTDIR)$(ZSH_FOLDER)/_authctl
fish_place := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/authctl.fish

# Of Foundation no more than FoundationEssentials, which is all that is used of what TOMLKit's imports name.
LEAN := $(foreach library,Foundation FoundationInternationalization _FoundationICU CoreFoundation,\
	-Xfrontend -disable-autolink-library -Xfrontend $(library))

# lld packs the relocations of the program, which the loader would otherwise read one by one, and exports nothing but what the
# libraries ask for.
LINKER := -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs

# Generic types are built from the conformances that the compiler knows. By their names, which are shorter, the program would look
# up each requirement among all its conformances, at every start.
DIRECT := -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors

# A section for each function, so that the linker leaves out what nobody calls.
SECTIONS := -Xswiftc -Xfrontend -Xswiftc -function-sections

# What a build has of its folder is left out: C names its files from here, Swift notes nothing for debuggers, and keeps no hash of each
# file's code, with the folder's path in it, to skip what has not changed. And the program loads no library from the folder in which
# it lies.
SAME_BYTES := -debug-info-format none -Xcc '-ffile-prefix-map=$(CURDIR)=.' --disable-local-rpath \
	-Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen

RELEASE := swift build -c release --static-swift-stdlib $(SAME_BYTES) $(DIRECT) $(SECTIONS) $(LINKER) -Xlinker -s -Xlinker '-L$(ARCHIVES)'

# In CI, a server that cannot be started is a failure, not a skipped test.
ifdef CI
export AUTHCTL_E2E := required
endif

.DEFAULT_GOAL := build
MAKEFLAGS += --no-print-directory
.PHONY: help deps build demo-server demo check test test-all soak bench instructions fuzz lint format manual site sbom dist deb reproducible release repository install install-demo uninstall clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { sub(/:.*/, "", $$1); printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install the Debian packages that the targets below need
	@scripts/deps build demo test presets programs bench lint

build: ## the release binary, stripped and linked statically to Swift: .build/release/authctl
	@[ -e $(AUTHCTL) ] || echo 'Building authctl into $(AUTHCTL): 3 minutes the first time, on two cores. Other targets: make help'
	@scripts/deps build
	@mkdir -p '$(ARCHIVES)' && ln -sf "$$(g++ -print-file-name=libstdc++.a)" '$(ARCHIVES)'
	@ln -sf "$$(g++ -print-file-name=libgcc_eh.a)" '$(ARCHIVES)/libgcc_s.a'
	@$(RELEASE) $(addprefix -Xswiftc ,$(LEAN)) --product authctl

# FlyingFox uses what only whole Foundation has.
demo-server: build ## the demo server as it is packed, which needs no Swift either: .build/release/demo-backend
	@$(RELEASE) --product demo-backend

demo: ## a login at the built-in demo server; without a terminal it walks the whole path by itself
	@echo 'Step 1 of 3: build authctl'
	@$(MAKE) build
	@echo 'Step 2 of 3: build the demo server (a minute the first time)'
	@scripts/deps demo
	@swift build --product demo-backend
	@echo 'Step 3 of 3: start the demo server, and log in'
	@scripts/demo $(AUTHCTL) .build/debug/demo-backend

# One build for the three of them; docs/tests.md says what each has, and how long it takes.
check: CHOICE := --skip '(Crash|HelperContract|SecretService|Concurrency|Tamper|GeneratedServer)Tests' \
	--skip '^LoginHTTPTests[.].?(TLS|A request|A network fault|A redirect to another origin).?/'
check: ## the tests that need no server and no terminal: two minutes
test: build ## every test, on real servers too, with the release binary: five minutes
test-all: THOROUGHNESS := all
test test-all: PROGRAM := $(abspath $(AUTHCTL))
test test-all: CHOICE := --servers
test-all: instructions ## the same, each fault at every place and in every store, and the instructions of a start: what CI runs
check test test-all:
	@scripts/deps build test $(if $(THOROUGHNESS),presets programs)
	@scripts/run-tests build
	@scripts/public-comments
	@AUTHCTL_TESTS=$(THOROUGHNESS) AUTHCTL_PROGRAM='$(PROGRAM)' scripts/run-tests $(CHOICE)

soak: COUNT := 2000
soak: ## COUNT=2000 mixed commands from eight processes at a server that fails one response in five
	@scripts/deps build test
	@scripts/run-tests build
	@AUTHCTL_SOAK=$(COUNT) scripts/run-tests suite SoakTests

bench: build ## time, memory, throughput, requests and instructions beside curl, gh, git and nginx, as ratios of one run
	@scripts/deps bench
	@scripts/bench $(AUTHCTL)
	@scripts/bench --instructions $(AUTHCTL)

instructions: build ## instructions of three starts beside curl's; a twentieth more than scripts/bench has them is a failure
	@scripts/deps bench
	@scripts/bench --instructions $(AUTHCTL)

# Instrumented and in a folder of its own, so that no other build sees it. SECONDS each, one after the other; what is found
# beyond the corpus stays in .build/fuzz, and a file that crashed a reader belongs in Tests/CorpusTests/Corpus.
fuzz: SECONDS := 60
fuzz: ## libFuzzer on the readers of what others wrote, SECONDS=60 each (READERS="challenge cookie profile form helper json loopback metadata devtools netrc pasted served-path served-body serve-rule token-answer proxied-head client-hello name-query graphql xml")
	@scripts/deps build
	@scripts/fuzz $(SECONDS) $(READERS)

# EXAMPLES stand behind DESCRIPTION, where readers look for them; mdoc(7) has them further down.
lint: ## format, manual pages, links and house rules; after a build
	@scripts/deps lint
	@swift format lint --strict --recursive --parallel Package.swift Sources Tests Examples
	@! mandoc -T lint -W warning man/* | grep -v 'sections out of conventional order: Sh'
	@! for page in man/*; do man --warnings "./$$page" 2>&1 >/dev/null | sed "s|^|$$page: |"; done | grep .
	@scripts/house-rules
	@scripts/layers each
	@scripts/manual check
	@scripts/links

format: ## rewrite the Swift files in the checked-in format
	@swift format --in-place --recursive --parallel Package.swift Sources Tests Examples

manual: ## the pages of man/ as Markdown: docs/manual
	@scripts/deps lint
	@scripts/manual

site: ## README, manual and the other pages as a web site without scripts: .build/site
	@scripts/deps site
	@scripts/site

sbom: demo-server ## what the two release binaries are made of, as SPDX: .build/release/authctl.spdx.json, authctl-demo.spdx.json
	@scripts/deps sbom
	@scripts/sbom $(AUTHCTL) > $(SBOM)
	@scripts/sbom $(DEMO_SERVER) > $(DEMO_SBOM)

dist: sbom ## a tarball that needs no compiler, and its checksum, in .build/dist
	@scripts/package tarball

deb: sbom ## the Debian packages authctl and authctl-demo in .build/dist, checked by lintian
	@scripts/deps package
	@scripts/package deb

reproducible: ## builds the last commit in two folders, and compares tarballs and packages: ten minutes
	@scripts/deps build sbom package
	@scripts/reproducible

release: ## KEY=…: checks version, changelog, tag and tree, builds what is published, twice, and signs its checksums
	@scripts/deps build sbom package repository
	@scripts/release '$(KEY)'

repository: DEBS = .build/dist/authctl*_$(shell scripts/version)_*.deb
repository: ## FOLDER=… KEY=…[,NEXT-KEY…]: a signed apt repository of the packages in .build/dist, for a web server to publish
	@scripts/deps repository
	@scripts/repository '$(FOLDER)' '$(KEY)' $(DEBS)

# Where a binary is, nothing is built and nothing but coreutils is needed: so it works as root, and without a compiler.
install: $(AUTHCTL) ## binary, docker's helper, manual, completions, presets and documents to PREFIX (/usr/local), below DESTDIR if that is set
	@install -D -m 755 $(AUTHCTL) '$(bin)/authctl'
	@ln -sf authctl '$(bin)/docker-credential-authctl'
	@for page in $(filter-out man/authctl-demo.1,$(wildcard man/*.[1-9])); do install -D -m 644 "$$page" "$(man)/man$${page##*.}/$${page##*/}"; done
	@for file in share/authctl/presets/*.toml; do install -D -m 644 "$$file" "$(presets)/$${file##*/}"; done
	@install -D -m 644 share/authctl/no-keyring.bpf '$(dir $(presets))no-keyring.bpf'
	@install -d '$(doc)' && install -m 644 README.md CHANGELOG.md LICENSE packaging/copyright packaging/Apache-2.0 '$(doc)'
	@install -d '$(doc)/examples' && install -m 755 Examples/store-helpers/* '$(doc)/examples'
	@if [ -e '$(SBOM)' ] && ! [ '$(AUTHCTL)' -nt '$(SBOM)' ]; then install -m 644 '$(SBOM)' '$(doc)'; fi
	@install -d '$(dir $(bash_place))' '$(dir $(zsh_place))' '$(dir $(fish_place))'
	@$(AUTHCTL) completion bash > '$(bash_place)'
	@$(AUTHCTL) completion zsh > '$(zsh_place)'
	@$(AUTHCTL) completion fish > '$(fish_place)'
	@chmod 644 '$(bash_place)' '$(zsh_place)' '$(fish_place)'
	@echo "authctl, its manual and its completions are in $(DESTDIR)$(PREFIX)"

install-demo: $(DEMO_SERVER) ## authctl-demo, which opens the shell of make demo, with its server and manual
	@install -D -m 755 scripts/demo '$(bin)/authctl-demo'
	@install -d '$(demo)' '$(doc)' && install -m 755 $(DEMO_SERVER) scripts/demo-browser '$(demo)'
	@install -D -m 644 man/authctl-demo.1 '$(man)/man1/authctl-demo.1'
	@if [ -e '$(DEMO_SBOM)' ] && ! [ '$(DEMO_SERVER)' -nt '$(DEMO_SBOM)' ]; then install -m 644 '$(DEMO_SBOM)' '$(doc)'; fi
	@echo "authctl-demo is in $(DESTDIR)$(PREFIX)"

$(AUTHCTL):
	@$(MAKE) build

$(DEMO_SERVER):
	@$(MAKE) demo-server

uninstall: ## remove what install and install-demo installed
	@rm -f '$(bin)/authctl' '$(bin)/authctl-demo' '$(bin)/docker-credential-authctl' '$(bash_place)' '$(zsh_place)' '$(fish_place)'
	@rm -rf '$(presets)' '$(doc)' '$(demo)'
	@rm -f '$(dir $(presets))no-keyring.bpf'
	@rmdir '$(dir $(presets))' 2>/dev/null || true
	@for page in man/*.[1-9]; do rm -f "$(man)/man$${page##*.}/$${page##*/}"; done

clean: ## remove everything that was built
	@rm -rf .build
