import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import fc from "fast-check"
import { type Client, createClient } from "../../src/client.ts"
import { root } from "../architecture/Checkout.ts"
import { blocksOf } from "../docs/Markdown.ts"
import { assertRefused } from "../support/Answer.ts"
import { cases } from "../support/Rounds.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenant } from "../support/Tenant.ts"

interface Donor {
  readonly id: string
  readonly updated_at: string
}

interface Window {
  readonly since: string
  readonly until: string
  readonly take: (donor: Donor) => Promise<void>
}

type Sync = (client: Client, window: Window) => Promise<void>

const folder = mkdtempSync(join(tmpdir(), "almoner-sync-"))

/** The guide's own function, with pages of two records. */
const printed = async (): Promise<Sync> => {
  const [block = ""] = blocksOf(readFileSync(join(root, "docs/guides/client.md"), "utf8"), "js").filter((each) =>
    each.includes("export const sync")
  )
  const small = block.replace("limit: 100", "limit: 2")
  assert.notStrictEqual(small, block)
  writeFileSync(join(folder, "sync.mjs"), small)
  const loaded: unknown = await import(pathToFileURL(join(folder, "sync.mjs")).href)
  return Object(loaded).sync
}

describeService(everyKind, "a copy of donors", (service) => {
  let sync: Sync

  beforeAll(async () => {
    sync = await printed()
  })

  const begin = async (count: number, sharing = 3) => {
    const tenant = await makeTenant(service)
    const made: Array<string> = []
    for (let index = 0; index < count; index++) {
      // Some share their instant, so that the id decides.
      service.pace = index % sharing === 0 ? 10 : 0
      made.push((await tenant.writer.post("/donors", { first_name: `Donor ${index}` })).textAt("id"))
    }
    service.pace = 10
    const refusals: Array<string> = []
    const client = createClient({
      baseUrl: "http://localhost:1",
      apiKey: tenant.readKey.secret,
      fetch: async (input, init) => {
        const url = new URL(String(input))
        const { bytes, headers, status, text } = await service.call("GET", `${url.pathname}${url.search}`, {
          key: tenant.readKey.secret,
          headers: Object.fromEntries(new Headers(init?.headers))
        })
        if (status !== 200) refusals.push(text)
        return new Response(Buffer.from(bytes), { status, headers })
      }
    })
    return { client, made, refusals, tenant }
  }

  it("misses no donor, whichever change while it is made", async () => {
    let refused = 0
    const changes = fc.array(fc.record({ after: fc.nat(8), donor: fc.nat(6), archive: fc.boolean() }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(changes, async (planned) => {
        const { client, made, refusals, tenant } = await begin(7)
        const copy = new Map<string, string>()
        let taken = 0
        const change = async (index: number, archive: boolean) => {
          const path = `/donors/${made[index]}`
          await (archive ? tenant.writer.delete(path) : tenant.writer.patch(path, { first_name: `Changed ${taken}` }))
        }
        const take = async ({ id, updated_at }: Donor) => {
          if (updated_at >= (copy.get(id) ?? "")) copy.set(id, updated_at)
          for (const { after, archive, donor } of planned) if (after === taken) await change(donor, archive)
          taken += 1
        }
        let since = "2026-01-01"
        for (let run = 0; run < 2; run++) {
          service.clock.advance(60_000)
          const until = service.clock.iso()
          await sync(client, { since, until, take })
          since = until
        }
        const known = await Promise.all(
          made.map(async (id): Promise<[string, string]> => {
            const donor = await tenant.reader.get(`/donors/${id}`)
            return [id, donor.textAt("updated_at")]
          })
        )
        // Changes during the second run are found by the third.
        for (const [id, updated_at] of known) assert.isTrue(copy.get(id) === updated_at || updated_at >= since, id)
        refused += refusals.length
      }),
      // Every donor changes right after it was taken: the last of a page, too, whose cursor is refused then.
      {
        numRuns: cases(25),
        examples: [[[0, 1, 2, 3, 4, 5, 6].map((at) => ({ after: at, donor: at, archive: false }))]]
      }
    )
    assert.isAbove(refused, 0)
  })

  it("is told where to go on when the last record was changed meanwhile", async () => {
    const { made, tenant } = await begin(4, 1)
    const [first = "", second = "", third = "", fourth = ""] = made
    const dates = await Promise.all(
      made.map(async (id) => (await tenant.reader.get(`/donors/${id}`)).textAt("updated_at"))
    )
    service.clock.advance(1_000)
    const until = service.clock.iso()
    const page = (query: string) => tenant.reader.get(`/donors?limit=2&${query}`)
    const ids = async (query: string) => (await page(query)).listAt("data").map((each) => Object(each).id)
    const window = `updated_at[gte]=2026-01-01&updated_at[lt]=${until}`
    assert.deepStrictEqual(await ids(`sort=updated_at&${window}`), [first, second])
    await tenant.writer.patch(`/donors/${second}`, { phone: "1" })
    for (const [sort, operator] of [
      ["updated_at", "gte"],
      ["-updated_at", "lte"]
    ]) {
      const refused = await page(`sort=${sort}&${window}&starting_after=${second}`)
      assertRefused(refused, "validation_failed", "starting_after")
      assert.include(refused.textAt("error.message"), `send updated_at[${operator}] with the updated_at of the last`)
    }
    assert.deepStrictEqual(await ids(`sort=updated_at&updated_at[gte]=${dates[1]}&updated_at[lt]=${until}`), [
      third,
      fourth
    ])
    // In any other order, and without the filter, every record is a cursor.
    assert.deepStrictEqual(await ids(`sort=created_at&${window}&starting_after=${second}`), [third, fourth])
    assert.deepStrictEqual(await ids(`sort=updated_at&starting_after=${second}`), [])
    assertRefused(await page(`sort=updated_at&${window}&starting_after=nobody`), "validation_failed", "starting_after")
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))
