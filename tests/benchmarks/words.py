"""The written words of the generated corpus, most frequent first within each list.

Frequencies follow the order, so a word's place decides how rare it is in the notes.
"""

FUNCTION_WORDS = """
the of and to a in is that it for on with as was be by this are from at or an not we
have has but had they which you their were been if when there can will more who what
its would so out up all than into them then only some could may other these no about
her his our do does did i me my your us he she him also over after before because how
where why any each most such between both during while until since through under
again further once here very just too own same few off down above below against
should must might shall now yet still even though although whether either neither
""".split()

ENGLISH = """
time work way need make get use change take day know week find keep go think look
start team run thing come part give call people show ask write read people year new
good first last long great little own old right big high different small large next
early young important public bad able point place case number group problem fact hand
side kind head question end line help turn move follow begin seem talk leave let mean
try stop hold bring happen provide sit stand lose pay meet include continue set learn
lead understand watch speak spend grow open walk win offer remember love consider
appear buy wait serve die send expect build stay fall cut reach kill remain suggest
raise pass sell require report decide pull return explain hope develop carry break
receive agree support hit produce eat cover catch draw choose cause allow add cost
drop plan form apply record accept check describe finish draft fix clear note list
morning afternoon evening month monday tuesday wednesday thursday friday saturday
sunday january february march april may june july august september october november
december yesterday today tomorrow tonight weekend quarter hour minute second moment
home house room door window street road city town country river garden kitchen office
desk table chair floor wall corner building station airport train bus car bike flight
ticket hotel trip holiday map beach mountain forest lake island park museum school
college class course teacher student book page chapter story letter paper pen photo
picture camera music song band concert guitar piano dance film movie game match team
player coach race marathon score goal prize medal training gym yoga doctor nurse
hospital medicine health pain sleep dream breakfast lunch dinner coffee tea water bread
cheese apple lemon onion tomato potato rice soup salad cake chocolate sugar salt recipe
restaurant shop market store money price budget bank account card bill tax salary job
career interview manager boss colleague customer client partner friend family mother
father sister brother daughter son child baby parent wife husband neighbour dog cat
horse bird fish tree flower grass leaf sun moon star sky rain snow wind storm weather
summer winter spring autumn season birthday wedding party gift dress shirt shoe jacket
color red blue green yellow orange purple black white grey brown light dark warm cold
hot cool dry wet clean dirty fresh sweet bitter sour soft hard heavy quick slow fast
loud quiet bright empty full deep shallow wide narrow thick thin strong weak rich poor
cheap expensive free busy ready careful happy sad angry afraid proud tired hungry
thirsty sick lucky strange funny serious honest kind polite rude brave clever silly
simple plain easy difficult hidden visible similar common rare normal special general
specific exact rough broad final initial recent modern ancient local global national
foreign private official legal medical political social economic natural physical
mental moral agreement argument attention balance behaviour belief benefit blame
chance choice claim comfort comment complaint conclusion condition confidence conflict
connection contract courage danger debate decision defence degree delay delivery demand
desire detail discovery discussion disease distance doubt duty effort emotion energy
error escape estimate event evidence example exchange excuse exercise experience expert
failure fashion favour fear feeling finding force freedom future gap growth habit
harm history honour humour idea impact income increase influence insight instance
interest invention issue journey joy judgement justice knowledge lack language laugh
law layer level limit loss luck measure memory method mind mistake mood nature noise
opinion opportunity order origin outcome pace pattern peace period permission person
position possibility power practice pressure pride principle process profit progress
promise proof purpose quality rate reaction reason relief remedy request respect
response result reward risk role routine rule safety sample scale scene science search
sense shape share shock signal silence size skill solution source space speech speed
spirit standard state step strategy strength stress structure style subject success
surprise survey symbol target task taste theory thought threat topic tradition trend
trouble trust truth value variety victory view vision voice volume warning waste wealth
wish wonder worry
""".split()

SOFTWARE = """
code test file user error server data request build commit branch release deploy config
service database function module import class method type value key field table query
index cache log version package install update script command option flag default
output input format path folder directory project repository merge conflict review
comment issue bug patch hotfix feature ticket sprint milestone roadmap backlog deadline
schedule meeting standup retrospective owner maintainer contributor reviewer api
endpoint client token session cookie header payload response status timeout retry
backoff limit quota rate throttle queue worker job task thread process memory leak heap
stack pointer buffer stream socket port host proxy gateway router balancer firewall
certificate password secret credential login logout authentication authorization
permission role policy audit encryption hash signature nonce salt vault rotation
container image registry cluster node pod namespace volume mount replica shard
partition primary secondary failover backup restore snapshot migration schema column
constraint transaction isolation lock deadlock rollback savepoint trigger view cursor
join aggregate filter sort pagination offset batch bulk pipeline stage artifact runner
workflow trigger hook webhook event listener handler callback promise async coroutine
scheduler cron daemon shell terminal prompt editor plugin extension theme keyboard
shortcut clipboard browser frontend backend component render template layout style
stylesheet button form modal dialog tooltip sidebar navigation menu route redirect
fallback middleware serializer parser lexer tokenizer compiler linker interpreter
bytecode runtime garbage collector allocator arena slab page fault signal interrupt
kernel driver device firmware sensor latency throughput bandwidth jitter percentile
median histogram metric counter gauge dashboard alert incident outage postmortem
runbook pager escalation severity uptime availability durability consistency
replication consensus quorum leader election heartbeat lease fencing gossip checksum
parity compression codec encoding unicode charset locale timezone calendar timestamp
epoch duration interval window watermark checkpoint offset segment compaction
tombstone journal manifest lockfile dependency upgrade downgrade pin semver changelog
license copyright readme documentation tutorial example snippet docstring annotation
lint formatter coverage fixture mock stub assertion regression benchmark profiler
flamegraph tracer span breakpoint debugger stacktrace exception traceback panic abort
segfault overflow underflow precision rounding integer float decimal boolean string
array list dictionary mapping tuple record struct enum union generic interface trait
protocol abstract inheritance composition delegate singleton observer iterator
generator decorator closure lambda recursion memoize lazy eager mutable immutable
deterministic idempotent stateless stateful synchronous concurrent parallel atomic
volatile barrier semaphore mutex condition variable race starvation contention affinity
warmup cooldown throttling sampling canary rollout toggle experiment cohort variant
telemetry tracing observability correlation identifier slug alias symlink inode
permission umask ownership sandbox jail chroot hypervisor virtual machine instance
region zone tenant billing invoice subscription refund checkout cart catalog inventory
shipment warehouse order coupon discount currency exchange ledger balance statement
reconciliation fraud chargeback merchant acquirer terminal settlement payout onboarding
signup profile avatar preference notification email digest newsletter unsubscribe
bounce spam inbox attachment thumbnail upload download chunk resume multipart presigned
bucket object prefix lifecycle retention archive purge expiry renewal revocation
handshake cipher tunnel subnet gateway resolver nameserver domain subdomain wildcard
propagation latency ping traceroute packet frame checksum retransmit congestion
multicast broadcast unicast peering transit edge origin cdn invalidation prefetch
preload hydration bundle chunking minify sourcemap polyfill transpile treeshake monorepo
workspace submodule subtree rebase squash cherry stash bisect blame diff hunk upstream
downstream fork clone remote fetch pull push tag annotate sign verify attest provenance
supply chain vulnerability advisory exploit injection traversal overflow escape
sanitize validate normalize canonical whitelist blacklist allowlist denylist captcha
throttle brute dictionary rainbow entropy seed random uniform gaussian outlier anomaly
drift baseline threshold classifier regression cluster embedding vector tensor matrix
gradient optimizer epoch batch learning dropout inference checkpoint quantize prune
distill finetune prompt completion context attention token vocabulary corpus stemmer
lemma synonym stopword ranking relevance recall precision scoring facet snippet
highlight autocomplete suggestion typo fuzzy phrase proximity wildcard analyzer
inverted postings bitmap bloom trie radix btree heap skiplist ring graph edge vertex
cycle topology traversal shortest path cost heuristic greedy dynamic backtracking
constraint solver planner optimizer cardinality selectivity histogram statistics
vacuum analyze explain plan scan seek nested merge hash bucket spill sort external
temporary materialized denormalized normalized surrogate natural composite foreign
cascade restrict nullable unique check sequence identity generated computed stored
procedure extension collation locale search dictionary stem configuration parameter
placeholder prepared statement pooling connection keepalive idle reconnect drain
graceful shutdown restart reload supervisor watchdog liveness readiness probe startup
sidecar ambassador adapter facade bridge proxy decorator repository factory builder
command mediator memento visitor strategy template specification aggregate entity
""".split()

FIRST_NAMES = """
Ada Amir Ana Anton Beatriz Bruno Carmen Chen Chloe Daniel Deepa Diego Elif Emma Farid
Fatima Felix Gita Goran Hana Hugo Ines Ivan Jana Jonas Kai Karin Kenji Lars Leila Lucia
Marta Mei Milan Nadia Nils Noor Olga Omar Paula Pavel Priya Quinn Rafael Rania Rosa Sami
Sofia Sven Tara Theo Tomas Uma Vera Viktor Wanda Xavier Yara Yusuf Zoe
""".split()
