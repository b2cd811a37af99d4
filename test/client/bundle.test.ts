import { readFileSync } from "node:fs"
import { join } from "node:path"
import { runInNewContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { root } from "../architecture/Checkout.ts"

const bundle = async (platform: "browser" | "neutral", format: "esm" | "iife", entry = "client") => {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [`src/${entry}.ts`],
    bundle: true,
    minify: true,
    format,
    globalName: "almoner",
    metafile: true,
    platform,
    target: "es2022",
    write: false
  })
  const [output] = outputFiles
  assert.isDefined(output)
  return { metafile, text: output.text }
}

/** The globals of every host named in the guide, and no others. */
const hostOf = (answer: () => Response) => ({
  AbortController,
  Headers,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  Uint8Array,
  atob,
  clearTimeout,
  crypto,
  fetch: () => Promise.resolve(answer()),
  setTimeout
})

describe("the client's bundle", () => {
  for (const platform of ["browser", "neutral"] as const) {
    it(`is made of its own folder alone (${platform})`, async () => {
      const { metafile } = await bundle(platform, "esm")
      assert.deepStrictEqual(
        Object.keys(metafile.inputs).filter((path) => !/^src\/client(\/\w+)?\.ts$/.test(path)),
        []
      )
      assert.deepStrictEqual(
        Object.values(metafile.outputs).flatMap(({ imports }) => imports),
        []
      )
    })
  }

  it("is as small as the guide says", async () => {
    const { text } = await bundle("neutral", "esm")
    const gzippedKilobytes = gzipSync(text, { level: 9 }).byteLength / 1000
    assert.isBelow(gzippedKilobytes, 6)
    const [, told] = /(\d+(?:\.\d)?) KB gzipped/.exec(readFileSync(join(root, "docs/guides/client.md"), "utf8")) ?? []
    assert.strictEqual(Number(told), Math.ceil(gzippedKilobytes * 2) / 2)
  })

  it("is of values less than 12 KB, as small as the guide says, with nothing of effect", async () => {
    const { metafile, text } = await bundle("browser", "esm", "values")
    const [told] = Object.values(metafile.outputs)
    const used = Object.entries(told?.inputs ?? {}).filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    assert.deepStrictEqual(
      used.filter(([path]) => !path.startsWith("src/")),
      []
    )
    const kilobytes = gzipSync(text, { level: 9 }).byteLength / 1000
    assert.isBelow(kilobytes, 12)
    const [, said] =
      /`almoner\/values` .*?(\d+) KB/.exec(readFileSync(join(root, "docs/guides/embed.md"), "utf8")) ?? []
    assert.strictEqual(Number(said), Math.ceil(kilobytes))
  })

  it("calls and verifies where there is nothing but the web standard", async () => {
    const { text } = await bundle("neutral", "iife")
    const failing = [new Response("Bad gateway", { status: 502 }), Response.json({ id: "dnr_1" })]
    const result: unknown = await runInNewContext(
      `${text};(async () => {
        const client = almoner.createClient({ baseUrl: "https://api.almoner.test", apiKey: "k", baseDelayMillis: 1 })
        const donor = await client.donors.create({ first_name: "Ada" })
        const event = await almoner.verifyWebhook({
          secret: "whs_4f9c2d7e8b1a4c6d9e0f1a2b3c4d5e6f",
          body: '{"type":"donor.created","occurred_at":"2026-01-01T00:00:00.000Z","organisation_id":"org_1","data":{"id":"don_1"}}',
          now: 1674087231000,
          headers: {
            "webhook-id": "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
            "webhook-timestamp": "1674087231",
            "webhook-signature": "v1,tBLJPJ4mZGRILMhwjXwcN8VPJaeJXxV2k0sl8YrihBE="
          }
        })
        return [donor.id, event.type].join(" ")
      })()`,
      hostOf(() => failing.shift() ?? Response.error())
    )
    assert.strictEqual(result, "dnr_1 donor.created")
  })
})
