import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Script } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { codes } from "../../src/adapters/http/pipeline/ErrorEnvelope.ts"
import { openApi } from "../../src/adapters/http/reference/OpenApi.ts"
import { documents } from "../../src/adapters/http/reference/Reference.ts"
import { verbs } from "../../src/adapters/http/reference/Spec.ts"
import type { Document, Documents } from "../../src/adapters/http/server/Documents.ts"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import { receiverExample } from "../../src/printing/reference/Guide.tsx"
import { paragraphs } from "../../src/printing/reference/Markup.tsx"
import { referencePage } from "../../src/printing/reference/ReferencePage.tsx"
import { script } from "../../src/printing/reference/Script.ts"
import { dark, light, type Palette } from "../../src/printing/reference/Style.ts"
import { runFolder } from "../support/RunFolder.ts"
import { deliverTo } from "./Receiver.ts"

const settings = { apiBaseUrl: "https://api.example.org", version: "1.2.3" }
const document = openApi(settings)
const page = referencePage(document)
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)

const documentAt = async (served: Documents, path: string): Promise<Document> => {
  const found = served.get(path)
  if (found === undefined) throw new Error(`${path} is not there`)
  return Effect.isEffect(found) ? Effect.runPromise(found) : found
}

const every = (pattern: RegExp): ReadonlyArray<string> => [...page.matchAll(pattern)].map(([, first = ""]) => first)

const channel = (byte: number): number => {
  const part = byte / 255
  return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}

const luminance = (colour: string): number => {
  const value = Number.parseInt(colour.slice(1), 16)
  return 0.212_6 * channel(value >> 16) + 0.715_2 * channel((value >> 8) & 255) + 0.072_2 * channel(value & 255)
}

/** WCAG 2.2, contrast ratio. */
const contrast = (a: string, b: string): number => {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

describe("the reference page", () => {
  it("leads every link of its own to a place that is there once", () => {
    const ids = every(/ id="([^"]+)"/g)
    assert.deepStrictEqual([...ids].sort(), [...new Set(ids)].sort())
    for (const target of every(/ href="#([^"]+)"/g)) assert.include(ids, target)
    for (const heading of every(/ aria-labelledby="([^"]+)"/g)) assert.include(ids, heading)
  })

  it("explains every code, operation, event type and schema", () => {
    const ids = new Set(every(/ id="([^"]+)"/g))
    for (const code of codes) assert.isTrue(ids.has(`error-${code}`), code)
    for (const type of eventTypes) assert.isTrue(ids.has(`event-${type}`), type)
    for (const item of Object.values(document.paths)) {
      for (const verb of verbs) {
        const operation = item[verb]
        if (operation !== undefined) assert.isTrue(ids.has(`operation-${operation.operationId}`), operation.operationId)
      }
    }
  })

  it("asks nobody for anything, and runs one script that does not either", () => {
    const [before = "", own = "", ...more] = page.split(/<script>|<\/script>/)
    assert.deepStrictEqual([own, more.length], [script, 1])
    assert.notMatch(
      before + more.join(""),
      /<script|<iframe|<img|<object|<form|<link rel="stylesheet"|@import|url\(| on[a-z]+=| style=/
    )
    const ours = ["/openapi.json", "/favicon.svg", "/docs/try"]
    assert.deepStrictEqual(
      every(/(?:src|href)="([^"#][^"]*)"/g).filter((target) => !ours.includes(target)),
      []
    )
    assert.notMatch(script, /fetch|XMLHttp|WebSocket|sendBeacon|import|eval|innerHTML|cookie|Storage|https?:/)
    assert.doesNotThrow(() => new Script(script))
  })

  it("says of every field of a body whether it must be given, and what stands there if not", () => {
    const entryOf = (operation: string, field: string): string => {
      const [, rest = ""] = page.split(` id="operation-${operation}"`)
      const [shown = ""] = rest.slice(rest.indexOf(`<dt><code>${field}</code>`)).split("</dt>", 1)
      return shown.replaceAll(/<[^>]+>/g, "")
    }
    assert.match(entryOf("donations_create", "amount_cents"), / required$/)
    assert.match(entryOf("donors_create", "country"), /, optional, default AU$/)
    assert.match(entryOf("forms_create", "recurring_frequencies"), /, optional, default \[&quot;MONTHLY&quot;\]$/)
    assert.match(entryOf("donors_list", "limit"), /, optional, default 10$/)
    assert.match(entryOf("donors_list", "limit"), /integer, 1 to 100/)
    assert.notMatch(entryOf("donors_update", "country"), /default/)
  })

  it("can be used with a keyboard and a screen reader", () => {
    assert.match(page, /<body>\s*<a class="skip" href="#content">/)
    assert.match(page, /<html lang="en">/)
    assert.match(page, /<nav [^>]*aria-label="[^"]+"/)
    for (const landmark of ["main", "header", "footer", "h1"])
      assert.strictEqual(every(new RegExp(`<(${landmark})[ >]`, "g")).length, 1)
    const [, content = ""] = page.split("<main")
    const levels = [...content.matchAll(/<h(\d)[ >]/g)].map(([, level]) => Number(level))
    let before = 1
    for (const level of levels) {
      assert.isAtMost(level, before + 1)
      before = level
    }
  })

  it("has colours that can be told apart", () => {
    const check = (name: string, palette: Palette) => {
      for (const ground of [palette.background, palette.surface]) {
        for (const colour of [palette.text, palette.muted, palette.link, palette.mark]) {
          assert.isAtLeast(contrast(colour, ground), 4.5, `${name}: ${colour} on ${ground}`)
        }
        assert.isAtLeast(contrast(palette.focus, ground), 3, `${name}: the focus on ${ground}`)
      }
    }
    check("light", light)
    check("dark", dark)
  })

  it("escapes whatever it is given", async () => {
    const hostile = `<script>alert("x")</script>&'`
    assert.notMatch(String(paragraphs(`${hostile} \`${hostile}\``)), /<script|"x"/)
    assert.notInclude(referencePage({ ...document, info: { ...document.info, title: hostile } }), "<script>alert")
    const served = await documentAt(documents({ apiBaseUrl: `https://${hostile}`, version: hostile }), "/docs")
    assert.notInclude(text(served.body), "<script>alert")
    assert.include(text(served.body), "&#60;script&#62;alert(&#34;x&#34;)&#60;/script&#62;&#38;&#39;")
  })
})

describe("the documents", () => {
  const served = documents(settings)
  const at = (path: string): Promise<Document> => documentAt(served, path)

  it("that describe the API are made when they are asked for, and not when a server starts", () => {
    const described = ["/openapi.json", "/docs", "/docs/try"]
    assert.deepStrictEqual(
      described.filter((path) => !Effect.isEffect(served.get(path))),
      []
    )
  })

  it("are the OpenAPI document, the page as the build printed it, and a way to it", async () => {
    const { body } = await at("/openapi.json")
    assert.deepStrictEqual(JSON.parse(text(body)), JSON.parse(JSON.stringify(document)))
    assert.strictEqual(text((await at("/docs")).body), page)
    for (const path of ["/", "/docs/"]) assert.strictEqual((await at(path)).location, "/docs")
  })

  it("allow the page its one style sheet, its one script and nothing else", async () => {
    const policy = (await at("/docs")).headers?.["content-security-policy"] ?? ""
    const [style = ""] = every(/<style>([\s\S]*?)<\/style>/g)
    assert.include(policy, `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`)
    assert.include(policy, "default-src 'none'")
    assert.notInclude(policy, "unsafe")
    assert.include(policy, `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}';`)
    assert.notMatch(policy, /connect-src|https?:/)
  })
})

it("the interactive reference is the platform's, over our document, and may load nothing from elsewhere", async () => {
  const served = documents({ ...settings, apiBaseUrl: "https://api.example.org/gifts" })
  const { body, contentType, headers } = await documentAt(served, "/docs/try")
  const shown = text(body)
  assert.strictEqual(contentType, "text/html; charset=utf-8")
  const [, spec = ""] = /<script id="swagger-spec" type="application\/json">([^<]*)<\/script>/.exec(shown) ?? []
  assert.deepStrictEqual(JSON.parse(spec), {
    ...JSON.parse(JSON.stringify(document)),
    ...JSON.parse(JSON.stringify(openApi({ ...settings, apiBaseUrl: "https://api.example.org/gifts" }))),
    servers: [{ url: "/gifts", description: "This service" }]
  })
  const start = shown.indexOf("<script>") + "<script>".length
  const end = shown.indexOf("</script>", start)
  const run = shown.slice(start, end)
  assert.notMatch(
    shown.slice(0, start) + shown.slice(end),
    /<script[^>]+src=|<link rel="stylesheet"|@import|url\((?!["']?data:)/
  )
  const policy = headers?.["content-security-policy"] ?? ""
  assert.include(run, "SwaggerUIBundle")
  assert.include(policy, `script-src 'sha256-${createHash("sha256").update(run).digest("base64")}';`)
  assert.notMatch(policy, /unsafe|https?:|\*/)
  assert.include(policy, "connect-src 'self'")
})

it("the receiver that the reference shows takes a signed delivery, once, and refuses a forged one", async () => {
  const program = join(runFolder("receiver"), "receiver.mjs")
  writeFileSync(program, receiverExample)
  const { printed, statuses } = await deliverTo(program)
  assert.deepStrictEqual([statuses, printed], [[204, 204, 400, 400], "donor.created dnr_1\n"])
})
