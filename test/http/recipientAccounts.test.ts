import { assert, beforeEach, it } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { DefaultCodes } from "../../src/app/compliance/DefaultCodes.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { RecipientAccounts } from "../../src/app/sharing/RecipientAccounts.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { IntegrationId } from "../../src/domain/kernel/Ids.ts"
import { parse } from "../../src/domain/kernel/Listing.ts"
import { listing } from "../../src/domain/sharing/RecipientAccount.ts"
import { CurrentCaller, IntegrationStore } from "../../src/ports.ts"
import { type Answer, assertRefused, rateHeaders, valueAt } from "../support/Answer.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, auditOf, chargingAccount, makeTenants, type Tenant } from "../support/Tenant.ts"

const hourMillis = 3_600_000
const wrong = "gravel tiptop outlet zebra unmasked wrong"

describeService(everyKind, "recipient accounts", (service) => {
  let live: Tenant
  let sandbox: Tenant
  let recipient: Tenant
  let recipientSandbox: Tenant

  beforeEach(async () => {
    ;({ live, sandbox } = await makeTenants(service))
    ;({ live: recipient, sandbox: recipientSandbox } = await makeTenants(service, { name: "Food Bank" }))
  })

  const integrate = (organisation: Organisation, label = "Main account") =>
    service.run(
      Integrations.use((integrations) => integrations.create({ ...chargingAccount(organisation), label })).pipe(
        asOperator(organisation)
      )
    )

  const rotate = (organisation: Organisation, id: IntegrationId) =>
    service.run(Integrations.use((integrations) => integrations.rotatePassphrase(id)).pipe(asOperator(organisation)))

  const exchange = (passphrase: string, more: object = {}, key?: string): Promise<Answer> =>
    live.writer.post(
      "/recipient-accounts",
      { passphrase, ...more },
      key === undefined ? {} : { "idempotency-key": key }
    )

  /** The exchange by a person in the application: the same use case, another actor. */
  const inApp = (passphrase: string) =>
    service.run(
      Effect.result(RecipientAccounts.use((accounts) => accounts.link({ passphrase }))).pipe(
        Effect.provideService(CurrentCaller, {
          organisation: live.organisation,
          actor: { type: "USER", id: "usr_1" },
          scope: "WRITE",
          request_id: "req_form"
        })
      )
    )

  const fail = async (times: number) => {
    for (let turn = 0; turn < times; turn++) assertRefused(await exchange(wrong), "validation_failed", "passphrase")
  }

  const events = async (tenant = live) =>
    (await tenant.reader.get("/events")).listAt("data").map((event) => ({
      type: valueAt(event, "type"),
      data: Object(valueAt(event, "data"))
    }))

  const operations = async () => (await auditOf(service, live.organisation)).map(({ operation }) => operation)

  const assertLocked = (answer: Answer, seconds: number) => {
    assertRefused(answer, "rate_limited")
    assert.strictEqual(answer.status, 429)
    assert.strictEqual(answer.headers.get("Retry-After"), String(seconds))
    for (const header of rateHeaders) assert.isFalse(answer.headers.has(header), header)
  }

  it("a passphrase links the account, and once more answers the same link and emits nothing", async () => {
    const { id: integration_id, passphrase } = await integrate(recipient.organisation)
    assert.match(passphrase, /^[a-z-]+( [a-z-]+){5}$/)
    const made = await exchange(passphrase, { label: "  Food parcels " })
    assert.strictEqual(made.status, 201)
    const { id, ...rest } = Object(made.at(""))
    assert.match(id, /^roal_/)
    assert.deepStrictEqual(rest, {
      label: "Food parcels",
      recipient_org_name: "Food Bank",
      recipient_org_slug: recipient.organisation.slug,
      recipient_account_label: "Main account",
      is_active: true,
      created_at: service.clock.iso()
    })
    const detail = {
      ...(made.at("") as object),
      recipient_integration_id: integration_id,
      processor_connect_account_id: "acct_1",
      charges_enabled: true
    }
    assert.deepStrictEqual((await live.reader.get(`/recipient-accounts/${id}`)).at(""), detail)
    const again = await exchange(passphrase.toUpperCase().replaceAll(" ", " - "), { label: "Other" })
    assert.deepStrictEqual([again.status, again.text], [200, made.text])
    assert.deepStrictEqual(await events(), [
      { type: "recipient_org_account_link.created", data: { id, ...rest, introduction_id: null } }
    ])
    assert.isEmpty(await events(recipient))
    assert.deepStrictEqual((await operations()).slice(0, 2), ["recipient_accounts.link", "recipient_accounts.link"])
    assert.isFalse(service.logs.some((line) => line.includes(passphrase)))
  })

  it("a link says what the processor says of its account now, and the recipient is not told what it is called there", async () => {
    const { id: integration_id, passphrase } = await integrate(recipient.organisation)
    const path = `/recipient-accounts/${(await exchange(passphrase)).textAt("id")}`
    for (const charges_enabled of [false, true]) {
      await service.run(
        IntegrationStore.use((store) =>
          Effect.flatMap(store.find(recipient.organisation.id, integration_id), (found) =>
            store.update({ ...Option.getOrThrow(found), charges_enabled })
          )
        )
      )
      assert.strictEqual((await live.reader.get(path)).at("charges_enabled"), charges_enabled)
      const renamed = await live.writer.patch(path, { label: `Slow payers, ${charges_enabled}` })
      assert.strictEqual(renamed.at("charges_enabled"), charges_enabled)
      const newest = Result.getOrThrow(parse(listing, [["limit", "1"]]))
      const listed = RecipientAccounts.use((accounts) => accounts.list(newest)).pipe(asOperator(live.organisation))
      const [row] = (await service.run(listed)).data
      assert.strictEqual(valueAt(row, "label"), `Slow payers, ${charges_enabled}`)
      // A list that tells of it, as to hosts, tells the same.
      assert.include([undefined, charges_enabled], valueAt(row, "charges_enabled"))
    }
    const ways = DefaultCodes.use((codes) => codes.defaults())
    const { data } = await recipient.staff(ways)
    assert.deepStrictEqual(
      data.map(({ from, label }) => [from, label]),
      [
        [null, null],
        [live.organisation.slug, "Main account"]
      ]
    )
  })

  it("a link without a label has the recipient's name", async () => {
    const { passphrase } = await integrate(recipient.organisation)
    assert.strictEqual((await exchange(passphrase, { label: " " })).at("label"), "Food Bank")
  })

  it("one's own passphrase is refused as such, and counts as a failure", async () => {
    const own = await integrate(live.organisation)
    const answer = await exchange(own.passphrase)
    assertRefused(answer, "validation_failed", "passphrase")
    assert.match(answer.textAt("error.message"), /your organisation's own/)
    service.pace = 0
    await fail(9)
    assertRefused(await exchange(own.passphrase), "rate_limited")
  })

  it("a passphrase that is wrong, old, or of the other kind of organisation is refused alike", async () => {
    const theirs = await integrate(recipient.organisation)
    const ofSandbox = await integrate(recipientSandbox.organisation)
    const rotated = await rotate(recipient.organisation, theirs.id)
    const refusals = []
    for (const each of [wrong, theirs.passphrase, ofSandbox.passphrase, "", " - "]) {
      const answer = await exchange(each)
      assertRefused(answer, "validation_failed", "passphrase")
      refusals.push(answer.at("error.message"))
    }
    assert.lengthOf(new Set(refusals), 1)
    assert.isEmpty(await events())
    assert.isEmpty((await live.reader.get("/recipient-accounts")).listAt("data"))
    assert.strictEqual((await exchange(rotated.passphrase)).status, 201)
    const bySandbox = await sandbox.writer.post("/recipient-accounts", { passphrase: ofSandbox.passphrase })
    assert.strictEqual(bySandbox.status, 201)
  })

  it("an account that was deactivated is linked no more, and stays where it is linked", async () => {
    const { id, passphrase } = await integrate(recipient.organisation)
    const link = (await exchange(passphrase)).textAt("id")
    await service.run(Integrations.use((all) => all.deactivate(id)).pipe(asOperator(recipient.organisation)))
    const again = await exchange(passphrase)
    assert.deepStrictEqual([again.status, again.at("id")], [200, link])
    await live.writer.delete(`/recipient-accounts/${link}`)
    const told = await events()
    assertRefused(await exchange(passphrase), "validation_failed", "passphrase")
    const { live: other } = await makeTenants(service, { name: "Harvest" })
    assertRefused(await other.writer.post("/recipient-accounts", { passphrase }), "validation_failed", "passphrase")
    assert.isFalse((await live.reader.get(`/recipient-accounts/${link}`)).at("is_active"))
    assert.isEmpty((await other.reader.get("/recipient-accounts")).listAt("data"))
    assert.deepStrictEqual(await events(), told)
    await fail(9)
    assertRefused(await exchange(passphrase), "rate_limited")
  })

  it("rotating a passphrase leaves what it linked, and the new one finds that link", async () => {
    const { id, passphrase } = await integrate(recipient.organisation)
    const link = await exchange(passphrase)
    const next = await rotate(recipient.organisation, id)
    assert.notStrictEqual(next.passphrase, passphrase)
    const path = `/recipient-accounts/${link.textAt("id")}`
    assert.isTrue((await live.reader.get(path)).at("is_active"))
    const again = await exchange(next.passphrase)
    assert.deepStrictEqual([again.status, again.text], [200, link.text])
  })

  it("ten failures lock every exchange for an hour from the first, and nothing prolongs it", async () => {
    const { passphrase } = await integrate(recipient.organisation)
    const linked = await integrate(recipient.organisation, "Second account")
    assert.strictEqual((await exchange(linked.passphrase)).status, 201)
    service.pace = 0
    await fail(1)
    const first = service.clock.now
    service.clock.advance(60_000)
    await fail(8)
    assert.strictEqual((await exchange(linked.passphrase)).status, 200)
    await fail(1)
    service.clock.advance(60_000)
    for (const each of [passphrase, linked.passphrase, wrong]) assertLocked(await exchange(each), 3_480)
    assertLocked(await exchange(passphrase, {}, "locked"), 3_480)
    service.clock.advance(first + hourMillis - 1 - service.clock.now)
    assertLocked(await exchange(passphrase), 1)
    service.clock.advance(1)
    assert.strictEqual((await exchange(passphrase, {}, "locked")).status, 201)
    await fail(1)
    assertLocked(await exchange(passphrase), 60)
    assert.strictEqual((await sandbox.writer.post("/recipient-accounts", { passphrase: wrong })).status, 400)
    service.pace = 10
  })

  it("failures count with a key as without one, a replay and a body that is refused at decoding do not", async () => {
    const { passphrase } = await integrate(recipient.organisation)
    for (let turn = 0; turn < 5; turn++) {
      const refused = await exchange(wrong, {}, `key ${turn}`)
      assertRefused(refused, "validation_failed", "passphrase")
      const replay = await exchange(wrong, {}, `key ${turn}`)
      assert.strictEqual(replay.headers.get("Idempotent-Replayed"), "true")
      assert.strictEqual(replay.text, refused.text)
    }
    assertRefused(await live.writer.post("/recipient-accounts", {}), "invalid_request")
    assertRefused(await live.writer.post("/recipient-accounts", { passphrase: 7 }), "invalid_request")
    assertRefused(await exchange(wrong, { label: "x".repeat(5_000) }), "validation_failed", "label")
    await fail(4)
    assert.strictEqual((await exchange(passphrase)).status, 201)
    await fail(1)
    assert.strictEqual((await exchange(passphrase)).status, 429)
  })

  it("the window is one with that of the form in the application", async () => {
    const { passphrase } = await integrate(recipient.organisation)
    await fail(6)
    for (let turn = 0; turn < 4; turn++) assert.strictEqual((await inApp(wrong))._tag, "Failure")
    assert.strictEqual((await exchange(passphrase)).status, 429)
    const refused = await inApp(passphrase)
    assert.strictEqual(refused._tag === "Failure" ? refused.failure._tag : null, "PassphraseLocked")
  })

  it("organisations with an active link are listed and read with their links, and all others are not found", async () => {
    const first = await integrate(recipient.organisation)
    const second = await integrate(recipient.organisation, "Second account")
    const links = [await exchange(first.passphrase), await exchange(second.passphrase)]
    const ids = links.map((link) => link.textAt("id"))
    await recipient.staff(Organisations.use((organisations) => organisations.updateOwn({ abn: "53004085616" })))
    const { id, slug } = recipient.organisation
    const linked = {
      id,
      name: "Food Bank",
      slug,
      abn: "53004085616",
      website_url: null,
      is_sandbox: false,
      recipient_org_account_link_ids: ids
    }
    assert.deepStrictEqual((await live.reader.get("/organisations")).at(""), { data: [linked], has_more: false })
    assert.deepStrictEqual((await live.reader.get(`/organisations/${id}`)).at(""), linked)
    for (const other of [live, sandbox, recipientSandbox]) {
      assertRefused(await live.reader.get(`/organisations/${other.organisation.id}`), "not_found")
    }
    assertRefused(await recipient.reader.get(`/organisations/${live.organisation.id}`), "not_found")
    for (const [gone, left] of [
      [ids[0], [ids[1]]],
      [ids[1], null]
    ] as const) {
      await live.writer.delete(`/recipient-accounts/${gone}`)
      const read = await live.reader.get(`/organisations/${id}`)
      if (left === null) assertRefused(read, "not_found")
      else assert.deepStrictEqual(read.at("recipient_org_account_link_ids"), left)
    }
    assert.isEmpty((await live.reader.get("/organisations")).listAt("data"))
  })
})
