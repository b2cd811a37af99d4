import { once } from "node:events"
import { request as httpRequest } from "node:http"
import { assert, beforeEach, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { Settler } from "../../src/app/payments/Settler.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { Integration } from "../../src/domain/access/Integration.ts"
import { IntegrationId } from "../../src/domain/kernel/Ids.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { signatureHeader } from "../../src/domain/payments/TestNotice.ts"
import { IntegrationStore, NoticeStore, Tokens } from "../../src/ports.ts"
import { queryOf } from "../../src/testing/conformance/Records.ts"
import { changePort } from "../support/ChangePort.ts"
import { type GivingSandbox, makeGivingSandbox, numbers } from "../support/GivingSandbox.ts"
import { type Service, startService } from "../support/Service.ts"
import { kindsRun } from "../support/StoreKinds.ts"
import { memory, type StoresLayer, server } from "../support/Stores.ts"
import { noticeBody, noticesOf, signedHeaders } from "../support/TestNotices.ts"

/** What an answer was, to its last byte. */
interface Told {
  readonly status: number
  readonly headers: Record<string, unknown>
  readonly body: string
}

type Headers = Readonly<Record<string, string | ReadonlyArray<string>>>

const header = signatureHeader

/** What the store of integrations was asked, whether it tells of own accounts, and whether that of notices is away. */
const asked = { integrations: 0, isAway: false, isOwn: false }

const watched = (stores: StoresLayer): StoresLayer =>
  Layer.mergeAll(
    changePort(IntegrationStore, (inner) => ({
      ofId: (id) =>
        Effect.suspend(() => {
          asked.integrations += 1
          const { isOwn: is_own } = asked
          return Effect.map(inner.ofId(id), (found) => Option.map(found, (each) => ({ ...each, is_own })))
        })
    })),
    changePort(NoticeStore, (inner) => ({
      add: (notice) => Effect.suspend(() => (asked.isAway ? Effect.die(new Error("away")) : inner.add(notice)))
    }))
  ).pipe(Layer.provideMerge(stores))

const suite = (name: string, stores: StoresLayer) =>
  describe(`notices over sockets and ${name}`, () => {
    let service: Service
    let giving: GivingSandbox
    let integration: Integration
    let port: number

    beforeEach(async () => {
      service = await startService({ stores: watched(stores) })
      port = await service.listen({ proxies: { header: "x-client", trusted: ["127.0.0.0/8"] } })
      giving = await makeGivingSandbox(service)
      const { data } = await giving.tenant.staff(Integrations.use((use) => use.list(queryOf())))
      integration = data[0] ?? assert.fail()
      asked.integrations = 0
      asked.isAway = false
      return () => service.stop()
    })

    const send = async (path: string, headers: Headers, body: string | Uint8Array, method = "POST"): Promise<Told> => {
      const sent = httpRequest({ port, host: "127.0.0.1", path, method, headers: { connection: "close", ...headers } })
      sent.on("error", () => {})
      sent.end(body)
      const [answer] = await once(sent, "response")
      const chunks: Array<Uint8Array> = []
      for await (const chunk of answer) chunks.push(chunk)
      return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks).toString() }
    }

    const address = (id: string) => `/processors/${id}/notices`
    const sign = (body: string, away = 0, id = integration.id) => signedHeaders(service, id, body, away)
    const post = async (body: string, headers?: Headers) =>
      send(address(integration.id), headers ?? (await sign(body)), body)
    const kept = () => noticesOf(service, integration.organisation_id)
    const freshIntegration = async () =>
      IntegrationId.make(await service.run(Tokens.use((tokens) => tokens.id("integration"))))

    it("are taken in, answered at once without a word, and applied by the worker", async () => {
      const debit = await giving.submit({ method: "au_becs_debit", payment_token: numbers.debit })
      await giving.move(debit, Bank.settle)
      const body = noticeBody({ object: { charge_id: (await giving.chargeOf(debit)).id } })
      const told = await post(body)
      assert.deepStrictEqual([told.status, told.body], [200, ""])
      assert.notExists(Object.keys(told.headers).find((each) => each.includes("ratelimit")))
      assert.isString(told.headers["x-request-id"])
      assert.strictEqual((await giving.giftOf(debit)).status, "PENDING")
      assert.strictEqual((await post(body)).status, 200)
      assert.lengthOf(await kept(), 1)
      await service.run(Settler.use(({ settleDue }) => settleDue))
      assert.strictEqual((await giving.giftOf(debit)).status, "CONFIRMED")
    })

    it("are refused, without a reason, where they are not signed by the processor for this address and near this time", async () => {
      const body = noticeBody()
      const good = (await sign(body))[header] ?? assert.fail()
      const [time = "", _mac = ""] = good.split(",")
      const other = await freshIntegration()
      const tolerated = Limits.noticeToleranceSeconds
      /** Bodies that are signed, and say what cannot be kept. */
      const unsound = () =>
        Promise.all(
          [
            { id: "\u0000" },
            { id: "" },
            { id: "e".repeat(Limits.identifierCharacters + 1) },
            { type: "charge.\ud800" },
            { account: "a".repeat(3_000) },
            { object: { kind: "charge", reference: "r\u0000", charge_id: null } },
            { created_at: "1969-12-31T23:59:59.999Z" },
            { created_at: "+275760-09-13T00:00:00.000Z" },
            { created_at: "9999-12-31T00:00:00.000Z" }
          ].map(async (changes) => {
            const sent = JSON.stringify({ ...JSON.parse(noticeBody()), ...changes })
            return [JSON.stringify(changes).slice(0, 80), await sign(sent), sent] as const
          })
        )
      const vectors: ReadonlyArray<readonly [why: string, headers: Headers, body: string | Uint8Array]> = [
        ["no header", {}, body],
        ["another version's signature", { [header]: good.replace("v1=", "v0=") }, body],
        ["another signature", { [header]: `${time},v1=${"A".repeat(43)}` }, body],
        ["very many signatures", { [header]: `${good}${",v1=AAAA".repeat(500)}` }, body],
        ["a body that was changed", { [header]: good }, body.replace("succeeded", "failed")],
        ["a body with a space more", { [header]: good }, `${body} `],
        ["no body", { [header]: good }, ""],
        ["a byte order mark", { [header]: good }, `\ufeff${body}`],
        ["a byte order mark that is signed", await sign(`\ufeff${body}`), `\ufeff${body}`],
        ...(await unsound()),
        ["bytes that are no text", { [header]: good }, new Uint8Array([0xff, 0xfe, 0x00])],
        ["a time that was changed", { [header]: good.replace(time, `t=${Number(time.slice(2)) + 1}`) }, body],
        ["an old time", await sign(body, -tolerated - 1), body],
        ["a time that is far ahead", await sign(body, tolerated + 2), body],
        ["a signature for another integration", await sign(body, 0, other), body],
        ["a body that is none of the processor's", await sign("{}"), "{}"],
        ["a body that is no JSON", await sign("<xml/>"), "<xml/>"],
        ["a key of the API", { authorization: `Bearer ${giving.tenant.writeKey.secret}` }, body]
      ]
      for (const [why, headers, sent] of vectors) {
        const told = await send(address(integration.id), headers, sent)
        assert.deepStrictEqual([told.status, told.body], [400, ""], why)
      }
      assert.lengthOf(await kept(), 0)
      for (const away of [-tolerated + 1, tolerated - 1])
        assert.strictEqual((await post(body, await sign(body, away))).status, 200)
      const among = good.replace(",", `,v1=${"A".repeat(43)},`)
      assert.strictEqual((await post(body, { [header]: among })).status, 200)
      assert.lengthOf(await kept(), 1)
    })

    it("have no other address, verb or size", async () => {
      const body = noticeBody()
      const headers = await sign(body)
      const unknown = await freshIntegration()
      for (const id of [unknown, "intg_1", "..", "%00", "a".repeat(200), integration.id.toUpperCase()]) {
        const told = await send(address(id), headers, body)
        assert.deepStrictEqual([told.status, told.body], [404, ""], id)
      }
      for (const name of ["stripe", "nobody", "__proto__", "constructor"]) {
        assert.strictEqual((await send(`/processors/platforms/${name}/notices`, headers, body)).status, 404, name)
      }
      // The test processor has no account of the installation's own.
      assert.strictEqual((await send("/processors/platforms/test/notices", headers, body)).status, 400)
      for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
        const told = await send(address(integration.id), headers, "", method)
        assert.deepStrictEqual([told.status, told.body, told.headers["allow"]], [405, "", "POST"], method)
      }
      const large = noticeBody({ object: { reference: "x".repeat(Limits.noticeBytes) } })
      const announced = await send(address(integration.id), await sign(large), large)
      assert.deepStrictEqual([announced.status, announced.body], [413, ""])
      const chunked = await send(
        address(integration.id),
        { ...(await sign(large)), "transfer-encoding": "chunked" },
        large
      )
      assert.deepStrictEqual([chunked.status, chunked.body], [413, ""])
      const most = noticeBody().padEnd(Limits.noticeBytes)
      assert.strictEqual((await post(most)).status, 200)
      assert.lengthOf(await kept(), 1)
    })

    it("that are invented cost their sender, not the database, and keep nobody else out", async () => {
      const ids = await Promise.all(Array.from({ length: Limits.noticesUnverifiedBurst + 40 }, freshIntegration))
      const statuses = []
      for (const id of ids) statuses.push((await send(address(id), { "x-client": "203.0.113.9" }, "{}")).status)
      const { length } = statuses.filter((status) => status === 429)
      assert.isAtLeast(length, 40 - Limits.noticesUnverifiedPerSecond)
      assert.isAtMost(asked.integrations, ids.length - length)
      const [last = assert.fail()] = ids.slice(-1)
      const refused = await send(address(last), { "x-client": "203.0.113.9" }, "{}")
      assert.deepStrictEqual([refused.status, refused.body], [429, ""])
      assert.isAtLeast(Number(refused.headers["retry-after"]), 1)
      // The processor, elsewhere, and then at the same address, as behind a proxy that names nobody.
      for (const client of ["203.0.113.10", "203.0.113.9"]) {
        const body = noticeBody()
        const told = await send(address(integration.id), { ...(await sign(body)), "x-client": client }, body)
        assert.strictEqual(told.status, 200, client)
      }
    })

    it("that are signed badly for an integration that is there are bounded, and those that are signed are not", async () => {
      const client = { "x-client": "198.51.100.7" }
      const body = noticeBody()
      const statuses = []
      for (let sent = 0; sent < Limits.noticesUnverifiedBurst + 20; sent++) {
        statuses.push((await send(address(integration.id), client, body)).status)
      }
      assert.deepStrictEqual([...new Set(statuses)].toSorted(), [400, 429])
      assert.isAtMost(asked.integrations, 2)
      for (let sent = 0; sent < Limits.noticesUnverifiedBurst + 20; sent++) {
        const good = noticeBody()
        const told = await send(address(integration.id), { ...(await sign(good)), "x-client": "198.51.100.8" }, good)
        assert.strictEqual(told.status, 200)
      }
    })

    it("of an organisation's own account are as many as its address may take, and wait for more", async () => {
      asked.isOwn = true
      const body = noticeBody()
      const headers = await sign(body)
      // Who signs nothing uses up nothing.
      for (let turn = 0; turn < 20; turn++) assert.strictEqual((await post(body, {})).status, 400)
      const most = Limits.noticesOwnBurst
      const began = performance.now()
      const told: Array<Told> = []
      while (told.length < most + 200) {
        told.push(...(await Promise.all(Array.from({ length: 50 }, () => post(body, headers)))))
      }
      asked.isOwn = false
      const taken = told.filter(({ status }) => status === 200).length
      const regained = (Limits.noticesOwnPerSecond * (performance.now() - began)) / 1_000
      assert.isTrue(taken >= most && taken <= most + regained + 1, `${taken}`)
      const later = told.filter(({ status }) => status === 429)
      assert.lengthOf(later, told.length - taken)
      for (const { headers: said } of later) assert.match(`${said["retry-after"]}`, /^[1-9]/)
    })

    it("are answered 500 where they cannot be kept, so that they are sent again", async () => {
      const body = noticeBody()
      asked.isAway = true
      const told = await post(body)
      assert.deepStrictEqual([told.status, told.body], [500, ""])
      asked.isAway = false
      assert.strictEqual((await post(body)).status, 200)
      assert.lengthOf(await kept(), 1)
    })

    it("leave nothing of theirs in logs", async () => {
      const secret = "canary-reference-4f2a"
      const body = noticeBody({ type: "canary-type-4f2a", object: { reference: secret } })
      const headers = await sign(body)
      asked.isAway = true
      await post(body)
      asked.isAway = false
      await post(body, { [header]: "canary-signature-4f2a" })
      await post(body)
      await service.run(Settler.use(({ settleDue }) => settleDue))
      const mac = headers[header]?.split("v1=")[1] ?? assert.fail()
      const logged = service.logs.join("\n")
      for (const canary of ["canary-", mac]) assert.notInclude(logged, canary)
    })
  })

const kinds: ReadonlyArray<readonly [name: string, stores: StoresLayer]> = [
  ["memory", memory],
  ["PostgreSQL", server]
]
for (const [name, stores] of kindsRun(kinds)) suite(name, stores)
