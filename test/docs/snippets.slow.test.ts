import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { transform } from "esbuild"
import * as LocalRateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import { SecretBox } from "../../src/ports/kernel/SecretBox.ts"
import { Checks } from "../../src/testing.ts"
import { Conformance } from "../../src/vitest.ts"
import { root } from "../architecture/Checkout.ts"
import { runFolder } from "../support/RunFolder.ts"
import { blocksOf } from "./Markdown.ts"

/** A program about the snippets of a guide, with the snippets in their places. */
interface Frame {
  readonly guide: string
  readonly language?: "js" | "ts"
  readonly program: (snippets: ReadonlyArray<string>) => string
  /** What it prints; null where it is compiled, and cannot be run without what only a reader has. */
  readonly prints: RegExp | null
}

const frames: ReadonlyArray<Frame> = [
  {
    guide: "payments",
    prints: /^SUCCEEDED\nSUCCEEDED\nNoticeRefused\n$/,
    program: ([submitting = "", consent = "", receiving = ""]) => `
import { Almoner } from "almoner"
import { memory } from "almoner/memory"
const almoner = await Almoner.open({ backend: memory() })
await almoner.organisations.create({
  slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD", plan: "RAISE"
})
const caller = await almoner.caller({ organisation: "riverside-sandbox", user: "ada", scope: "WRITE" })
const { id: integration_id } = await almoner.integrations.create(caller, { label: "Main" })
await almoner.forms.create(caller, { name: "Winter appeal", status: "ACTIVE" })
${submitting}
console.log(submitted.status)
await almoner.consentPrompts.create(caller, { text: "May we write to you?" })
const page = await almoner.checkouts.open({ organisation: "riverside-sandbox", slug: "winter-appeal" })
const boxes: Record<string, any> = Object.fromEntries(
  page.prompts.map(({ id }) => [id, { checked: true }])
)
const answered = await almoner.checkouts.submit({
  organisation: "riverside-sandbox", slug: "winter-appeal", submission_id: crypto.randomUUID(), amount_cents: 5_000,
  currency: "AUD", method: "card", donor: { email: "ada@example.org" }, payment_token: "4242 4242 4242 4242",
  request_id: "req_2",
  ${consent.trim()}
})
console.log(answered.status)
const request = { headers: {} }
const body = new TextEncoder().encode("{}")
${receiving}
console.log(outcome.ok ? "" : outcome.failure.name)
await almoner.close()
`
  },
  {
    guide: "pages",
    prints: /^200 Winter appeal\n404 There is no such page\n$/,
    program: ([mounting = ""]) => `
${mounting}
await almoner.organisations.create({
  slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD", plan: "RAISE"
})
const caller = await almoner.caller({ organisation: "riverside-sandbox", user: "ada", scope: "WRITE" })
await almoner.integrations.create(caller, { label: "Main" })
await almoner.forms.create(caller, { name: "Winter appeal", status: "ACTIVE" })
for (const slug of ["winter-appeal", "nothing"]) {
  const answer = await api.fetch(new Request(\`http://riverside-sandbox.localhost:3000/f/\${slug}\`))
  console.log(answer.status, /<h1>(?:<bdi>)?([^<]*)/.exec(await answer.text())?.[1])
}
server.close()
await almoner.close()
`
  },
  {
    guide: "pages",
    language: "js",
    prints: /^true true\na payment is under way\nthe gift was received\n$/,
    program: ([listening = ""]) => `
import { Almoner } from "almoner"
import { serve } from "almoner/http"
import { memory } from "almoner/memory"
import { pages } from "almoner/pages"
const page = new EventTarget()
const addEventListener = page.addEventListener.bind(page)
${listening}
const almoner = await Almoner.open({ backend: memory() })
const { fetch: ask } = await serve(almoner, { pages })
const script = await (await ask(new Request("http://localhost:8080/embed.js"))).text()
const told = /almoner:[(]([a-z|]+)[)]/.exec(script)?.[1]?.split("|") ?? []
console.log(script.includes("bubbles:true"), told.length === 2)
for (const each of told) page.dispatchEvent(new CustomEvent("almoner:" + each))
await almoner.close()
`
  },
  {
    guide: "test",
    prints: /^introduction machine obeys\nevery row\n3 gifts\n$/,
    program: ([laws = "", mutants = "", scenario = ""]) => `
import fc from "fast-check"
import { Mutants, Scenarios } from "almoner/testing"
${laws}
console.log("introduction machine obeys")
${mutants.replaceAll(/^import .*\n/gm, "")}
console.log("every row")
${scenario.replaceAll(/^import .*\n/gm, "")}
const [made] = fc.sample(donorWithThreeGiftsOneRefunded, 1)
console.log(made === undefined ? "" : "3 gifts")
`
  },
  {
    guide: "adapters",
    prints: null,
    program: ([kits = ""]) => `
import type { Layer } from "effect"
declare const layer: Layer.Layer<any>
declare const MyLimiter: { readonly layer: (sizes: { readonly size: unknown }) => Layer.Layer<any> }
${kits}
`
  },
  {
    guide: "adapters",
    prints: /^mine\nInvalidInput\nharbour_pay\n$/,
    program: ([, opening = "", processors = ""]) => `
import { Almoner } from "almoner"
import { memory } from "almoner/memory"
import { AuditStore, type PaymentProcessor, WebhookSigner } from "almoner/ports"
import { Effect, Layer } from "effect"
const signer = { sign: () => "mine" }
const box = { seal: (secret: string) => Effect.succeed(secret), open: (sealed: string) => Effect.succeed(sealed) }
const log: Array<string> = []
const auditWith = (_: typeof log) => Layer.effect(AuditStore, AuditStore)
const processor: PaymentProcessor = {
  capabilities: { methods: ["card"], refunds: false, confirms: true, statements: false },
  begin: () => Effect.succeed({ reference: "hp_1" }),
  confirm: () => Effect.void,
  cancel: () => Effect.void,
  fetchCharge: () => Effect.die("none"),
  nextStep: () => Effect.succeedNone,
  refund: () => Effect.succeed({ reference: "hr_1" }),
  fetchAccount: () => Effect.succeed({ charges_enabled: true, currency: "AUD" }),
  pageKey: () => Effect.succeedNone,
  verifyNotice: () => Effect.die("none"),
  noticesSince: () => Effect.succeed({ notices: [], cursor: null, has_more: false }),
  listCreated: () => Effect.succeed({ data: [], next: null }),
  movements: () => Effect.succeed({ data: [], next: null })
}
const charity = { slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD" }
const integrate = async (almoner: Almoner) => {
  await almoner.organisations.create(charity)
  const caller = await almoner.caller({ organisation: "riverside-sandbox", user: "ada", scope: "WRITE" })
  const made = await almoner.integrations
    .create(caller, { label: "Main", processor: "harbour_pay", processor_connect_account_id: "shop_1" })
    .outcome()
  console.log(made.ok ? made.value.processor : made.failure._tag)
  await almoner.close()
}
{
  ${opening}
  console.log((await almoner.run(WebhookSigner)).sign(["secret"], "msg_1", 0, "{}"))
  await integrate(almoner)
}
{
  ${processors}
  await integrate(almoner)
}
`
  },
  {
    guide: "adapters",
    language: "js",
    prints: /^# fail 0$/m,
    program: ([runner = ""]) => `
import { Stores } from "almoner/memory"
import { SecretBox } from "almoner/ports"
import { Layer } from "effect"
const layer = Layer.provide(Stores.layer, Layer.succeed(SecretBox, {} as any))
${runner}
`
  },
  {
    guide: "client",
    prints: /^ada@example.org\n$/,
    program: ([outcome = ""]) => `
import { createClient } from "almoner/client"
const body = JSON.stringify({ id: "dnr_1", email: "ada@example.org" })
globalThis.fetch = async () => new Response(body, { headers: { "content-type": "application/json" } })
const client = createClient({ baseUrl: "http://localhost:8080", apiKey: "alm_test_key" })
const id = "dnr_01jqz6x8h4e5vb9m2k7ncw3t5d"
${outcome}
console.log(outcome.ok ? outcome.value.email : "")
`
  }
]

const programOf = ({ guide, language = "ts", program }: Frame): string =>
  program(blocksOf(readFileSync(join(root, `docs/guides/${guide}.md`), "utf8"), language))

const run = promisify(execFile)

const runner = "const test = (_: string, run: () => void) => run()"

const [kits = ""] = blocksOf(readFileSync(join(root, "docs/guides/adapters.md"), "utf8"), "ts")

describe("the kits of the guide to adapters, as printed", () => {
  const sealed = Layer.succeed(SecretBox, { seal: Effect.succeed, open: Effect.succeed })
  const layer = Layer.provide(Stores.layer, sealed)
  const run = new Function("Checks", "Conformance", "layer", "MyLimiter", kits.replaceAll(/^import .*\n/gm, ""))
  run(Checks, Conformance, layer, LocalRateLimiter)
})

describe("the snippets of the guides", () => {
  it("are all of the blocks of each guide that has a program about it", () => {
    for (const { guide, language = "ts" } of frames) {
      const programs = frames.filter((each) => each.guide === guide && (each.language ?? "ts") === language)
      for (const block of blocksOf(readFileSync(join(root, `docs/guides/${guide}.md`), "utf8"), language)) {
        const lines = block.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("import "))
        const shown = programs.some((each) => lines.every((line) => programOf(each).includes(line.trim())))
        assert.isTrue(shown, block)
      }
    }
  })

  it("compile, each in a program about it", async () => {
    const folder = runFolder("snippets")
    for (const [index, frame] of frames.entries()) {
      writeFileSync(join(folder, `${index}.ts`), `${programOf(frame)}\nexport {}\n`)
    }
    const compilerOptions = {
      typeRoots: [join(root, "node_modules/@types")],
      paths: {
        almoner: [join(root, "dist/index.d.ts")],
        "almoner/testing/vitest": [join(root, "dist/vitest.d.ts")],
        "almoner/*": [join(root, "dist/*.d.ts")],
        "*": [join(root, "node_modules/*")]
      }
    }
    const files = frames.map((_, index) => `${index}.ts`)
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.json"), include: files, files, compilerOptions })
    )
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const { stdout } = await run(process.execPath, [compiler, "-p", folder, "--pretty", "false"]).catch(
      (failed: { readonly stdout: string }) => failed
    )
    assert.strictEqual(stdout, "")
  })

  it.each(frames.filter(({ prints }) => prints !== null))("run as printed: $guide", async (frame) => {
    const { code } = await transform(programOf(frame).replace('import { test } from "vitest"', runner), {
      loader: "ts",
      format: "esm"
    })
    const { stdout } = await run(process.execPath, ["--test-reporter=tap", "--input-type=module", "--eval", code], {
      cwd: root
    })
    assert.match(stdout, frame.prints ?? /^$/)
  })
})
