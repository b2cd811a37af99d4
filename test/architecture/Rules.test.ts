import { assert, describe, it } from "@effect/vitest"
import { rules } from "./Rules.ts"
import { longFunctionsMaximum } from "./TidyRules.ts"

type Files = Readonly<Record<string, string>>

interface Probe {
  /** Each breaks the rule and must be caught. */
  readonly caught: ReadonlyArray<Files>
  /** Each keeps the rule and must pass. */
  readonly passed: ReadonlyArray<Files>
}

const domain = (text: string): Files => ({ "src/domain/giving/Probe.ts": text })
const app = (text: string): Files => ({ "src/app/giving/Probes.ts": text })
const shared = (text: string): Files => ({ "test/domain/Probe.test.ts": text })
const from = (path: string, specifier: string): Files => ({ [path]: `import { x } from "${specifier}"\n` })
const store = (kind: string, text: string): Files => ({
  [`src/adapters/${kind}/sharing/PaymentStore.ts`]: `export const x = ${text}\n`
})
const lines = (count: number, line = "  f()\n"): string => line.repeat(count)
/** A function of 71 lines with the one inside it. */
const around = (head: string): string => `${head}\n${lines(30)}  const inner = () => {\n${lines(37)}  }\n}\n`
const folder = (...parts: ReadonlyArray<string>): string => ["", ...parts].join("/")
const mark = (...parts: ReadonlyArray<string>): string => parts.join("")

const probes: Readonly<Record<string, Probe>> = {
  "each folder imports only what the table allows": {
    caught: [
      from("src/domain/giving/Probe.ts", "../../ports/giving/DonorStore.ts"),
      from("src/domain/giving/Probe.ts", "@effect/sql-pg"),
      from("src/ports/giving/Probe.ts", "../../app/giving/Donors.ts"),
      from("src/app/giving/Probes.ts", "./Donors.ts"),
      from("src/app/giving/Probes.ts", "../../adapters/memory/giving/DonorStore.ts"),
      from("src/adapters/postgres/Probe.ts", "../../app/giving/Donors.ts"),
      from("src/adapters/http/endpoints/giving/Probe.ts", "../../../postgres/connection/Client.ts"),
      from("src/testing/Probe.ts", "../adapters/postgres/connection/Client.ts"),
      from("src/main.ts", "../test/domain/Probe.ts"),
      from("src/domain/Probe.ts", "./kernel/Money.ts"),
      from("src/app/Application.ts", "../adapters/memory/Stores.ts"),
      from("src/app/payments/charge/Probe.ts", "../Charges.ts"),
      from("src/printing/Probe.ts", "../facade/Almoner.ts"),
      from("src/Probe.ts", "./domain/kernel/Money.ts"),
      domain('export * from "../../ports/giving/DonorStore.ts"\n'),
      domain('export type X = import("../../ports/giving/DonorStore.ts").DonorStore\n'),
      domain('import type { X } from "../../app/giving/Donors.ts"\n'),
      domain('export const load = () => import("../../app/giving/Donors.ts")\n'),
      domain("export const load = (path: string) => import(path)\n")
    ],
    passed: [
      from("src/domain/giving/Probe.ts", "./Money.ts"),
      from("src/domain/giving/Probe.ts", "effect"),
      from("src/ports/giving/Probe.ts", "../../domain/kernel/Money.ts"),
      from("src/app/giving/Probes.ts", "../../ports/giving/DonorStore.ts"),
      from("src/adapters/http/endpoints/giving/Probe.ts", "../../../../app/giving/Donors.ts"),
      from("src/adapters/postgres/Probe.ts", "@effect/sql-pg"),
      from("src/testing/Probe.ts", "fast-check"),
      from("src/facade/Probe.ts", "../adapters/postgres/Stores.ts"),
      from("src/app/payments/charge/Probe.ts", "../notice/NoticeReceiver.ts"),
      from("src/app/Application.ts", "./giving/Donors.ts"),
      from("src/main.ts", "./adapters/postgres/connection/Client.ts"),
      domain('// import { x } from "node:fs"\nexport const text = `import { x } from "node:fs"`\n')
    ]
  },
  "contexts import one way": {
    caught: [
      from("src/domain/kernel/Probe.ts", "../giving/Donor.ts"),
      from("src/domain/giving/Probe.ts", "../outbox/Event.ts"),
      from("src/ports/giving/Probe.ts", "../../domain/sharing/Payment.ts"),
      from("src/app/access/probe/Probe.ts", "../../giving/donation/RevenueCodeLookup.ts"),
      from("src/adapters/memory/giving/Probe.ts", "../outbox/Outbox.ts"),
      from("src/app/access/change/Change.ts", "../../../domain/giving/Donor.ts"),
      { "src/app/giving/Probes.ts": 'import type { X } from "../../domain/outbox/Event.ts"\n' }
    ],
    passed: [
      from("src/domain/outbox/Probe.ts", "../giving/Donor.ts"),
      from("src/app/access/change/Change.ts", "../../../domain/outbox/Event.ts"),
      from("src/adapters/memory/giving/Probe.ts", "../State.ts"),
      from("src/adapters/http/endpoints/giving/Probe.ts", "../../../../app/sharing/PersonalisedLinks.ts"),
      from("src/adapters/postgres/records/Probe.ts", "../outbox/Outbox.ts")
    ]
  },
  "a subject's inner files are its own": {
    caught: [
      from("src/app/payments/Probes.ts", "../sharing/checkout/CheckoutWriter.ts"),
      from("src/app/payments/bank/Probe.ts", "../charge/CheckoutLinkOutcome.ts"),
      from("src/adapters/http/pipeline/Probe.ts", "../../../app/payments/notice/NoticeProcessor.ts"),
      from("src/effect.ts", "./app/outbox/consumer/ConsumerWorker.ts"),
      { "src/app/payments/bank/Probe.ts": 'export type X = import("../charge/CheckoutLinkOutcome.ts").X\n' }
    ],
    passed: [
      from("src/app/payments/charge/Probe.ts", "./CheckoutLinkOutcome.ts"),
      from("src/app/payments/Probes.ts", "./charge/CheckoutLinkOutcome.ts"),
      from("src/app/Application.ts", "./payments/charge/ChargeReactions.ts"),
      from("src/app/payments/bank/Probe.ts", "../charge/ChargeLoader.ts"),
      from("src/adapters/http/pipeline/Probe.ts", "../../../app/payments/notice/NoticeReceiver.ts"),
      from("test/app/Probe.test.ts", "../../src/app/payments/notice/NoticeProcessor.ts")
    ]
  },
  "the core uses only what effect calls stable": {
    caught: [
      domain('import * as Arbitrary from "effect/Arbitrary"\n'),
      domain('import { FileSystem } from "effect"\n'),
      domain('import * as Everything from "effect"\n'),
      domain('import { TestClock } from "effect/testing"\n'),
      app('import { Schema } from "effect"\nexport const X = Schema.IpAddress\n'),
      app('import * as S from "effect/Schema"\nexport const X = S.IpAddress\n'),
      app('import { IpAddress } from "effect/Schema"\n')
    ],
    passed: [
      domain('import { Effect, pipe, Schema } from "effect"\nexport const X = pipe(Schema.String, Effect.succeed)\n'),
      domain('import type * as DateTime from "effect/DateTime"\nexport type X = DateTime.Utc\n'),
      from("src/adapters/postgres/Probe.ts", "effect/sql")
    ]
  },
  "the core knows no host, clock, chance or type escape": {
    caught: [
      domain("export const now = () => new Date()\n"),
      domain("export const now = (at: Date) => at\n"),
      domain("export const draw = () => Math.random()\n"),
      domain('export const draw = () => Math["random"]()\n'),
      domain("const { random } = Math\nexport const draw = random\n"),
      app("export const port = process.env.PORT\n"),
      app("export const pick = () => ({ process })\n"),
      app("export const say = (text: string) => console.log(text)\n"),
      app("export const now = () => globalThis.performance.now()\n"),
      app('import { DateTime } from "effect"\nexport const now = DateTime.nowUnsafe()\n'),
      app('import { Effect } from "effect"\nexport const x = Effect.runSync(Effect.void)\n'),
      { "src/ports/giving/Probe.ts": "export type Row = Record<string, any>\n" },
      { "src/ports/giving/Probe.ts": "export const x = (y: unknown) => y as string\n" },
      { "src/ports/giving/Probe.ts": "export const x = (y: string | null) => y!\n" },
      domain(`// ${mark("@ts", "-ignore")}\nexport const x = 1\n`),
      domain(`export const text = ${mark("`$", "{Date.now()}`")}\n`)
    ],
    passed: [
      domain("export const steps = [1, 2] as const\n"),
      domain("export const half = (cents: number) => Math.floor(cents / 2)\n"),
      domain('// a Date from the process\nexport const text = "new Date()"\n'),
      domain('import { Schema } from "effect"\nexport const at = Schema.Date\n'),
      domain("export interface Store {\n  readonly process: string\n  fetch(id: string): string\n}\n"),
      domain(
        'export * as Money from "./Money.ts"\nexport const x = { steps: [1] } satisfies { steps: Array<number> }\n'
      ),
      { "src/adapters/clock/Probe.ts": "export const now = () => new Date()\n" }
    ]
  },
  "every source file is needed by an entry point": {
    caught: [
      { "src/main.ts": "", "src/domain/Probe.ts": "" },
      {
        "src/main.ts": "",
        "src/domain/Left.ts": 'import "./Right.ts"\n',
        "src/domain/Right.ts": 'import "./Left.ts"\n'
      },
      { "src/main.ts": '// import "./domain/Probe.ts"\n', "src/domain/Probe.ts": "" }
    ],
    passed: [
      { "src/index.ts": 'export * from "./domain/Probe.ts"\n', "src/domain/Probe.ts": "" },
      { "src/testing/Probe.ts": 'import type { X } from "../domain/Probe.ts"\n', "src/domain/Probe.ts": "" },
      {
        "src/main.ts": 'export const worker = new URL("./adapters/cli/Worker.js", import.meta.url)\n',
        "src/adapters/cli/Worker.ts": ""
      }
    ]
  },
  "relative imports end in .ts": {
    caught: [
      from("test/domain/Probe.test.ts", "../../src/domain/kernel/Money"),
      from("src/domain/giving/Probe.ts", "./Money.js"),
      domain('export * from "./Money"\n')
    ],
    passed: [
      from("src/domain/giving/Probe.ts", "./Money.ts"),
      from("src/main.ts", "effect"),
      { "src/main.ts": 'export const worker = new URL("./adapters/cli/Worker.js", import.meta.url)\n' }
    ]
  },
  "exported names are nouns, or verbs": {
    caught: [
      domain("export const taken = 1\n"),
      domain("export interface Held {}\n"),
      domain("export function converging() {}\n"),
      domain("const charge = 1\nexport { charge as settled }\n"),
      domain('export { charge as told } from "./Charge.ts"\n'),
      domain('export * as Taken from "./Charge.ts"\n'),
      domain("export const { given, taking: x } = f()\n"),
      { "test/support/Probe.ts": "export const made = 1\n" },
      { "scripts/probe.d.mts": "export declare const found: string\n" }
    ],
    passed: [
      domain("export const takenSlugs = 1\nexport const findCharge = () => 1\n"),
      domain("export const read = 1\nexport const listing = 2\nexport interface Settings {}\n"),
      domain("const taken = 1\nexport { taken as charge }\n"),
      domain('// export const taken = 1\nexport const text = "export const taken = 1"\n'),
      { "src/client/generated/Probe.ts": "export const found = 1\n" }
    ]
  },
  "file names are nouns": {
    caught: [
      { "src/domain/giving/Taken.ts": "" },
      { "src/app/payments/charge/Recording.ts": "" },
      { "test/domain/planned.test.ts": "" }
    ],
    passed: [
      { "src/domain/giving/Charge.ts": "" },
      { "test/adapters/settings.test.ts": "" },
      { "src/app/payments/charge/TakenSlugs.ts": "" }
    ]
  },
  "source files are short": {
    caught: [domain(lines(401, "export {}\n"))],
    passed: [domain(lines(400, "export {}\n")), { "src/client/generated/Probe.ts": lines(401, "export {}\n") }]
  },
  "functions are short": {
    caught: [
      domain(`export function f() {\n${lines(69)}}\n`),
      domain(`export const f = () => {\n${lines(69)}}\n`),
      domain(`export const f = () => {\n${lines(40)}  const g = () => {\n${lines(9)}  }\n${lines(30)}}\n`)
    ],
    passed: [
      domain(`export function f() {\n${lines(68)}}\n`),
      domain(`export const f = () => {\n${lines(40)}  const g = () => {\n${lines(50)}  }\n${lines(20)}}\n`),
      domain(`export const text = \`function f() {\n${lines(90)}}\`\n`)
    ]
  },
  "functions are short with those inside them": {
    caught: [app(around("export const make = () => {").repeat(longFunctionsMaximum + 1))],
    passed: [
      app(around("export const make = () => {").repeat(longFunctionsMaximum)),
      { "src/testing/Probe.ts": around("export const make = () => {").repeat(longFunctionsMaximum + 1) },
      app(
        `export class A extends Context.Service<A>()("a", { make: Effect.gen(${around("function*() {")}) }) {}\n`.repeat(
          longFunctionsMaximum + 1
        )
      ),
      app(`export class A extends Service<A>()("a", ${around("function*() {")}) {}\n`.repeat(longFunctionsMaximum + 1))
    ]
  },
  "refused commands are answered": {
    caught: [
      app("export const x = Result.getOrElse(Machine.decide(machine, a, b), () => a)\n"),
      app("export const x = Result.match(decide(machine, a, b), { onFailure: () => a, onSuccess: (c) => c })\n")
    ],
    passed: [
      app("export const x = Effect.fromResult(Machine.decide(machine, a, b))\n"),
      app("export const x = Result.getOrElse(parse(text), () => null)\n")
    ]
  },
  "causes are logged without values": {
    caught: [
      app('export const x = Effect.logError("It broke", cause)\n'),
      app("export const x = Effect.logWarning(cause)\n"),
      app('export const x = Effect.logError("It broke", Cause.die(defect))\n')
    ],
    passed: [
      app('export const x = Effect.logError("It broke", loggedCause(cause))\n'),
      app('export const x = Effect.logInfo("It answers again")\n'),
      app("export const x = Effect.logInfo(lineOf(counts))\n")
    ]
  },
  "stores take their rules from the domain": {
    caught: [
      store("postgres", "sql`SELECT 1 FROM payments WHERE organisation_id = 1 AND payment_status = 'SUCCEEDED'`"),
      store("postgres", "sql`SELECT 1 FROM payments AS p WHERE p.payment_status IN ('PENDING', 'AWAITING_FUNDS')`"),
      store("postgres", "sql`SELECT count(*) FILTER (WHERE status <> 'FAILED') FROM refunds`"),
      store("memory", '(payment) => payment.payment_status === "SUCCEEDED"'),
      store("postgres", "sql`INSERT INTO finished_deliveries (status) SELECT 'FAILED' FROM ended`"),
      store("memory", '({ ...delivery, status: "FAILED" })')
    ],
    passed: [
      store("postgres", 'ruleOf(sql, Payment.settled, "p")'),
      store("postgres", "const ended = machine.table.Abandon.to"),
      store("postgres", "sql`SELECT now() AT TIME ZONE 'UTC'`"),
      store("memory", "(payment) => Rule.holds(Payment.settled, payment)"),
      store("memory", "(state) => birth(machine, births.addressed, (status) => ({ ...state, status }))"),
      { "src/domain/giving/Probe.ts": 'export const x = (a: string) => a === "PENDING"\n' }
    ]
  },
  "use cases outside the time of an organisation take the real one": {
    caught: [app("export const at = Effect.map(organisationNow, DateTime.formatIso)\n")],
    passed: [
      app("export const at = Effect.map(realNow, DateTime.formatIso)\n"),
      app("const timed = serviceInOrganisationTime(operations, { read: organisationNow })\n")
    ]
  },
  "instants are held to their range, and now says whose it is": {
    caught: [
      app("export const at = yield* DateTime.now\n"),
      app("export const x = (at) => DateTime.addDuration(at, step)\n"),
      domain("export const x = (at) => DateTime.subtract(at, { days })\n"),
      domain("export const x = DateTime.makeUnsafe(millis)\n")
    ],
    passed: [
      app("export const at = yield* organisationNow\n"),
      app("/**\n * DateTime.add(at, { days: 1 })\n */\n"),
      domain("export const x = (at) => DateTime.isLessThan(addTime(at, step), other)\n"),
      { "src/domain/kernel/InstantRange.ts": "export const x = DateTime.make(0)\n" }
    ]
  },
  "use cases name no events": {
    caught: [
      app('export const x = [{ type: "donor.created", data }]\n'),
      app("export const x = `checkout_link.archived`\n"),
      app(`export const x = (verb: string) => ${mark("`donation.$", "{verb}`")}\n`),
      { "src/app/giving/probe/Probe.ts": 'export const x = { "donor.merged": 1 }\n' }
    ],
    passed: [
      app('export const x = permitted("donors.create")\n'),
      app("// emits donor.created\nexport const x = births.recorded.emits\n"),
      app('export const x = "The donation. It is refunded."\n'),
      domain('export const emits = ["donor.created"]\n')
    ]
  },
  "nothing is left unfinished": {
    caught: [
      domain(`// ${mark("TO", "DO")}: more\n`),
      { "test/domain/Probe.test.ts": `// ${mark("FIX", "ME")}\n` },
      { "docs/guide.md": `This is enough ${mark("for", " now")}.\n` },
      app(`export const x = "${mark("Not ", "implemented")}"\n`)
    ],
    passed: [domain("// What is due is due: nowhere else, forever.\n")]
  },
  "every test runs": {
    caught: [
      { "test/domain/Probe.test.ts": `${mark("it", ".skip")}("x", () => {})\n` },
      { "test/domain/Probe.test.ts": `${mark("it.effect", ".only")}("x", () => {})\n` },
      { "test/domain/Probe.test.ts": `${mark("describe", ".todo")}("x")\n` }
    ],
    passed: [{ "test/domain/Probe.test.ts": 'it.effect("skips nothing", () => items.only)\n' }]
  },
  "test files that share a process leave it as it was": {
    caught: [
      shared('import { vi } from "@effect/vitest"\n'),
      shared('import * as suite from "vitest"\n'),
      shared('import fc from "fast-check"\nfc.configureGlobal({ numRuns: 10 })\n'),
      shared('process.env["PORT"] = "8080"\n'),
      shared('Object.assign(process.env, { PORT: "8080" })\n'),
      shared('process.on("unhandledRejection", () => {})\n'),
      shared("globalThis.fetch = async () => new Response()\n"),
      shared('Object.defineProperty(globalThis, "x", { value: 1 })\n'),
      shared("Error.stackTraceLimit = 0\n"),
      shared("Array.prototype.at = () => 1\n"),
      shared('import { setGlobalDispatcher } from "undici"\nsetGlobalDispatcher(agent)\n'),
      shared("export const count = () => globalThis.made++\n"),
      {
        ...from("test/domain/Probe.test.ts", "../support/Near.ts"),
        ...from("test/support/Near.ts", "./Far.ts"),
        "test/support/Far.ts": "process.umask(0)\n"
      }
    ],
    passed: [
      shared('import { assert, it } from "@effect/vitest"\n'),
      shared('export const env = { ...process.env, PORT: "8080" }\n'),
      shared("export const own = (made: { count: number }) => made.count++\n"),
      shared('const child = spawn("node")\nchild.on("close", () => {})\nObject.assign(child, { own: true })\n'),
      shared("export const quiet = Object.assign(Object.create(console), { error: () => {} })\n"),
      { "test/e2e/Probe.test.ts": 'import { vi } from "vitest"\nprocess.exitCode = 1\n' },
      {
        ...from("test/e2e/Probe.test.ts", "../support/Probe.ts"),
        "test/support/Probe.ts": "process.umask(0)\n"
      }
    ]
  },
  "tests write to folders of their own": {
    caught: [
      shared('mkdirSync(join(root, ".cache"), { recursive: true })\n'),
      shared('const cache = resolve(root, "node_modules")\nconst own = join(cache, "own")\nrename(draft, own)\n'),
      shared('const cache = join(tmpdir(), "almoner")\n'),
      shared("export const home = homedir()\n"),
      shared('createServer().listen(8080, "127.0.0.1")\n')
    ],
    passed: [
      shared('cpSync(join(root, "examples"), folder, { recursive: true })\n'),
      shared('const folder = mkdtempSync(join(tmpdir(), "almoner-"))\nwriteFileSync(join(folder, "x"), "")\n'),
      shared('createServer().listen(0, "127.0.0.1")\n')
    ]
  },
  "what tests share registers none when it is loaded": {
    caught: [
      { "test/support/Probe.ts": 'import { it } from "@effect/vitest"\nit("x", () => {})\n' },
      { "test/support/Probe.ts": 'import { it } from "@effect/vitest"\nfor (const n of [1, 2]) it.effect(n, run)\n' },
      { "test/support/Probe.ts": 'import { layer as over } from "@effect/vitest"\nover(Service)("x", (it) => {})\n' },
      { "src/testing/Probe.ts": 'import { afterEach } from "vitest"\nafterEach(() => stop())\n' },
      shared('import "./Other.test.ts"\n')
    ],
    passed: [
      shared('import { it } from "@effect/vitest"\nit("x", () => {})\n'),
      { "test/support/Probe.ts": 'import { it } from "vitest"\nexport const suite = () => it("x", () => {})\n' },
      { "test/support/ProcessState.ts": 'import { afterAll } from "vitest"\nafterAll(() => {})\n' },
      { "test/support/Probe.ts": 'import { readable } from "./Read.ts"\nreadable("x")\n' }
    ]
  },
  "no path belongs to one machine": {
    caught: [
      { "README.md": `Open ${folder("home", "someone", "almoner")}.\n` },
      domain(`export const path = "${folder("tmp", "almoner")}"\n`)
    ],
    passed: [
      { "README.md": "See https://example.org/home/page and ./tmp/file and /api/v1/health.\n" },
      domain('export const path = "docs/root/index.md"\n')
    ]
  },
  "a document has one title": {
    caught: [
      { "docs/guide.md": "No title.\n" },
      { "docs/guide.md": "# One\n\n# Two\n" },
      { "docs/guide.md": "Text first.\n\n# Title\n" }
    ],
    passed: [{ "docs/guide.md": "# Title\n\n## Part\n\n```sh\n# a comment of the shell\n```\n" }]
  },
  "the lock file names no registry": {
    caught: [{ "package-lock.json": '{ "resolved": "https://registry.example.org/a.tgz" }\n' }],
    passed: [{ "package-lock.json": '{ "integrity": "sha512-abc" }\n' }]
  }
}

const violations = (name: string, files: Files): ReadonlyArray<unknown> =>
  rules
    .filter((rule) => rule.name === name)
    .flatMap(({ check }) => check(Object.entries(files).map(([path, text]) => ({ path, text }))))

describe("the rules themselves", () => {
  it("each has probes that it catches and probes that it lets pass", () => {
    assert.deepStrictEqual(
      Object.keys(probes),
      rules.map(({ name }) => name)
    )
    for (const { caught, passed } of Object.values(probes)) {
      assert.isNotEmpty(caught)
      assert.isNotEmpty(passed)
    }
  })

  describe.each(Object.entries(probes))("%s", (name, { caught, passed }) => {
    it.each(caught)("catches %j", (files) => {
      assert.isNotEmpty(violations(name, files))
    })
    it.each(passed)("lets %j pass", (files) => {
      assert.deepStrictEqual(violations(name, files), [])
    })
  })
})
