import { assert, beforeEach, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Users } from "../../src/app/access/Users.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import { Invitations } from "../../src/app/sharing/Invitations.ts"
import type { Integration } from "../../src/domain/access/Integration.ts"
import type { Role } from "../../src/domain/access/Membership.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { IntegrationId, UserId } from "../../src/domain/kernel/Ids.ts"
import * as InviteToken from "../../src/domain/sharing/InviteToken.ts"
import { IntegrationStore } from "../../src/ports/access/IntegrationStore.ts"
import { type Answer, assertRefused, fieldsOf, valueAt } from "../support/Answer.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, chargingAccount, eventsOf, makeTenants, type Tenant } from "../support/Tenant.ts"

const dayMillis = 86_400_000
const request_id = "req_door"

let people = 0

describeService(everyKind, "introductions", (service) => {
  let inviter: Tenant
  let invitee: Tenant
  let inviteeSandbox: Tenant

  beforeEach(async () => {
    ;({ live: inviter } = await makeTenants(service, {
      plan: "RAISE",
      name: "Harbour Trust"
    }))
    ;({ live: invitee, sandbox: inviteeSandbox } = await makeTenants(service, { name: "Riverside" }))
  })

  const send = (json: object = {}, tenant = inviter) =>
    tenant.writer.post("/introductions", { invitee_email: "bea@example.org", ...json })

  const sent = async (json: object = {}, tenant = inviter) => {
    const made = await send(json, tenant)
    assert.strictEqual(made.status, 201, made.text)
    return { id: made.textAt("id"), token: InviteToken.tokenIn(made.textAt("invite_url")), made }
  }

  const eventTypes = async (tenant = inviter) => (await eventsOf(tenant)).map((each) => valueAt(each, "type"))

  const statusOf = async (id: string) => (await inviter.reader.get(`/introductions/${id}`)).at("status")

  const person = async (...memberships: ReadonlyArray<readonly [Organisation, Role]>) => {
    people += 1
    const user = await service.run(Users.use((users) => users.create({ email: `p${people}@example.org`, name: "P" })))
    for (const [organisation, role] of memberships) {
      await service.run(Users.use((users) => users.addToOrganisation(user.id, role)).pipe(asOperator(organisation)))
    }
    return user.id
  }

  const open = (token: string) => service.run(Invitations.use((door) => door.open({ token, request_id })))

  const accept = (token: string, user_id: UserId, organisation = invitee.organisation) =>
    service.run(
      Invitations.use((door) => door.accept({ token, user_id, organisation_id: organisation.id, request_id }))
    )

  /** The tag of the refusal; none when it went through. */
  const refusal = (attempt: Promise<unknown>): Promise<unknown> =>
    attempt.then(
      () => undefined,
      (failure) => failure._tag
    )

  const account = (tenant: Tenant) =>
    tenant.staff(Integrations.use((integrations) => integrations.create(chargingAccount(tenant.organisation))))

  const link = (token: string, user_id: UserId, integration_id: IntegrationId) =>
    service.run(Invitations.use((door) => door.link({ token, user_id, integration_id, request_id })))

  const accepted = async () => {
    const { id, token } = await sent()
    const user = await person([invitee.organisation, "ADMIN"])
    await accept(token, user)
    return { id, token, user }
  }

  const linked = async () => {
    const { id, token, user } = await accepted()
    const integration = await account(invitee)
    await link(token, user, integration.id)
    return { id, token, user, integration }
  }

  it("have every field but what is hidden, and one address for their whole life", async () => {
    const { id, made } = await sent({
      invitee_org_name_hint: "  Riverside ",
      invitee_message: "canary message",
      external_id: " crm 1",
      ttl_days: null
    })
    const { invite_url, ...rest } = Object(made.at(""))
    assert.match(id, /^intr_/)
    assert.match(invite_url, new RegExp(`^http://${inviter.organisation.slug}\\.localhost:8080/i/${id}\\.[\\w-]{43}$`))
    const record = {
      id,
      status: "PENDING",
      invitee_email: "bea@example.org",
      invitee_org_name_hint: "Riverside",
      external_id: " crm 1",
      expires_at: service.clock.iso(30 * dayMillis),
      viewed_at: null,
      accepted_at: null,
      linked_at: null,
      revoked_at: null,
      accepted_organisation_id: null,
      accepted_recipient_org_account_link_id: null,
      resend_count: 0,
      last_resent_at: null,
      created_at: service.clock.iso()
    }
    assert.deepStrictEqual(rest, record)
    assert.deepStrictEqual((await inviter.reader.get(`/introductions/${id}`)).bytes, made.bytes)
    assert.deepStrictEqual((await inviter.reader.get("/introductions")).at("data"), [made.at("")])
    const [event] = await eventsOf(inviter)
    assert.deepStrictEqual([valueAt(event, "type"), valueAt(event, "data")], ["introduction.created", record])
    const token = InviteToken.tokenIn(invite_url)
    const events = (await inviter.reader.get("/events")).text
    for (const secret of [token, "canary message"]) {
      assert.notInclude(events, secret)
      assert.isFalse(service.logs.some((line) => line.includes(secret)))
    }
  })

  it("hold their external id in every state, against a conflict that names the holder", async () => {
    const { id } = await sent({ external_id: "crm-1" })
    const conflict = async () => {
      const answer = await send({ external_id: "crm-1" })
      assertRefused(answer, "conflict")
      assert.include(answer.textAt("error.message"), id)
    }
    await conflict()
    await inviter.writer.delete(`/introductions/${id}`)
    await conflict()
    const other = (await makeTenants(service, { plan: "RAISE" })).live
    assert.strictEqual((await send({ external_id: "crm-1" }, other)).status, 201)
    assert.strictEqual((await sent({ external_id: "CRM-1" })).made.status, 201)
    assert.strictEqual((await eventTypes()).filter((type) => type === "introduction.created").length, 2)
  })

  it("are at most 50 pending of the last 24 hours, however many are sent at once", async () => {
    for (let count = 0; count < 46; count++) await sent()
    const [viewed, revoked, ...more] = await Promise.all(Array.from({ length: 4 }, () => sent()))
    assert.strictEqual(more.length, 2)
    assertRefused(await send(), "invalid_request")
    await open(String(viewed?.token))
    await inviter.writer.delete(`/introductions/${revoked?.id}`)
    const raced = await Promise.all(Array.from({ length: 5 }, () => send()))
    assert.deepStrictEqual(raced.map(({ status }) => status).toSorted(), [201, 201, 400, 400, 400])
    assertRefused(await send(), "invalid_request")
    service.clock.advance(dayMillis)
    assert.strictEqual((await send({ ttl_days: 1 })).status, 201)
  })

  it("are mailed again three times with the same address, while pending or viewed", async () => {
    const { id, made, token } = await sent()
    const resend = (): Promise<Answer> => inviter.writer.post(`/introductions/${id}/resend_email`)
    const first = await resend()
    assert.deepInclude(Object(first.at("")), {
      resend_count: 1,
      last_resent_at: service.clock.iso(),
      invite_url: made.at("invite_url"),
      expires_at: made.at("expires_at")
    })
    await open(token)
    await resend()
    assert.strictEqual((await resend()).at("resend_count"), 3)
    assertRefused(await resend(), "invalid_request")
    assert.strictEqual((await inviter.reader.get(`/introductions/${id}`)).at("resend_count"), 3)
    const other = await accepted()
    assertRefused(await inviter.writer.post(`/introductions/${other.id}/resend_email`), "conflict")
  })

  it("are viewed once, accepted and linked, and the inviter is told each step", async () => {
    const { id, token } = await sent({ invitee_message: "Join us" })
    const seen = await open(token)
    assert.deepInclude(seen, { status: "VIEWED", inviter_name: "Harbour Trust", invitee_message: "Join us" })
    await open(token)
    const user = await person([invitee.organisation, "EDITOR"])
    await accept(token, user)
    assert.deepInclude(Object((await inviter.reader.get(`/introductions/${id}`)).at("")), {
      status: "ACCEPTED",
      accepted_at: service.clock.iso(0 - service.pace),
      accepted_organisation_id: invitee.organisation.id
    })
    const integration = await account(invitee)
    await link(token, user, integration.id)
    const record = await inviter.reader.get(`/introductions/${id}`)
    const link_id = record.textAt("accepted_recipient_org_account_link_id")
    assert.strictEqual(record.at("status"), "LINKED")
    assert.notInclude(record.text, user)
    const recipient = await inviter.reader.get(`/recipient-accounts/${link_id}`)
    assert.deepInclude(Object(recipient.at("")), {
      label: "Riverside",
      is_active: true,
      recipient_integration_id: integration.id
    })
    const told = await eventsOf(inviter)
    assert.deepStrictEqual(fieldsOf(told, "type"), [
      "introduction.created",
      "introduction.viewed",
      "introduction.accepted",
      "introduction.linked",
      "recipient_org_account_link.created"
    ])
    assert.deepStrictEqual(fieldsOf(told.slice(0, 4), "data.status"), ["PENDING", "VIEWED", "ACCEPTED", "LINKED"])
    assert.deepInclude(Object(valueAt(told[4], "data")), { id: link_id, introduction_id: id, is_active: true })
    assert.isFalse(JSON.stringify(told).includes(user))
    assert.deepStrictEqual(await eventTypes(invitee), [])
    assert.strictEqual(await refusal(link(token, user, integration.id)), "IllegalTransition")
    assert.strictEqual(await refusal(accept(token, user)), "IllegalTransition")
  })

  it("are accepted by one of those who try at the same moment", async () => {
    const { token } = await sent()
    const user = await person([invitee.organisation, "ADMIN"])
    const tags = await Promise.all(Array.from({ length: 4 }, () => refusal(accept(token, user))))
    assert.strictEqual(tags.filter((tag) => tag === undefined).length, 1)
    assert.strictEqual((await eventTypes()).length, 3)
  })

  it("are not accepted by members of the inviter, strangers, viewers and in sandboxes", async () => {
    const { id, token } = await sent()
    const ownMember = await person([inviter.organisation, "VIEWER"])
    const ofBoth = await person([invitee.organisation, "ADMIN"], [inviter.organisation, "ADMIN"])
    const stranger = await person()
    const viewer = await person([invitee.organisation, "VIEWER"])
    const inSandbox = await person([inviteeSandbox.organisation, "ADMIN"])
    assert.strictEqual(await refusal(accept(token, ownMember, inviter.organisation)), "Forbidden")
    assert.strictEqual(await refusal(accept(token, ofBoth, inviter.organisation)), "GuardRefused")
    assert.strictEqual(await refusal(accept(token, ofBoth)), "GuardRefused")
    assert.strictEqual(await refusal(accept(token, stranger)), "Forbidden")
    assert.strictEqual(await refusal(accept(token, viewer)), "Forbidden")
    assert.strictEqual(await refusal(accept(token, inSandbox, inviteeSandbox.organisation)), "GuardRefused")
    assert.strictEqual(await statusOf(id), "PENDING")
    assert.deepStrictEqual(await eventTypes(), ["introduction.created"])
  })

  it("are linked with an account that takes payments, and with no other", async () => {
    const { id, token, user } = await accepted()
    const integration = await account(invitee)
    const change = (changed: Partial<Integration>) =>
      service.run(
        IntegrationStore.use((store) =>
          Effect.gen(function* () {
            const found = yield* store.find(invitee.organisation.id, integration.id)
            yield* store.update({ ...Option.getOrThrow(found), ...changed })
          })
        )
      )
    for (const given of [{ charges_enabled: false }, { charges_enabled: true, is_active: false }]) {
      await change(given)
      assert.strictEqual(await refusal(link(token, user, integration.id)), "GuardRefused")
      assert.strictEqual(await statusOf(id), "ACCEPTED")
      assert.deepStrictEqual((await inviter.reader.get("/recipient-accounts")).at("data"), [])
    }
    await change({ is_active: true })
    assert.strictEqual((await link(token, user, integration.id)).status, "LINKED")
  })

  it("link an account of the organisation that accepted, and only after it did", async () => {
    const { token } = await sent()
    const user = await person([invitee.organisation, "ADMIN"])
    const integration = await account(invitee)
    assert.strictEqual(await refusal(link(token, user, integration.id)), "Forbidden")
    await accept(token, user)
    const foreign = await account((await makeTenants(service)).live)
    assert.strictEqual(await refusal(link(token, user, foreign.id)), "NotFound")
    const stranger = await person()
    assert.strictEqual(await refusal(link(token, stranger, integration.id)), "Forbidden")
    await link(token, user, integration.id)
  })

  it("use a link again that is there, active or not, and tell that it was created", async () => {
    const { integration, user } = await linked()
    const id = (await inviter.reader.get("/recipient-accounts")).textAt("data.0.id")
    for (const active of [true, false]) {
      if (!active) await inviter.writer.delete(`/recipient-accounts/${id}`)
      const next = await sent()
      await accept(next.token, user)
      await link(next.token, user, integration.id)
      const found = await inviter.reader.get("/recipient-accounts")
      assert.deepStrictEqual(fieldsOf(found.listAt("data"), "id", "is_active"), [[id, true]])
      const last = (await eventsOf(inviter)).at(-1)
      assert.strictEqual(valueAt(last, "type"), "recipient_org_account_link.created")
      assert.deepInclude(Object(valueAt(last, "data")), { id, introduction_id: next.id, is_active: true })
    }
  })

  it("leave nothing when the last step of a write breaks", async () => {
    const { id, token } = await sent()
    service.faults.writesBreak = true
    assert.strictEqual((await send()).status, 500)
    assert.strictEqual((await inviter.writer.post(`/introductions/${id}/resend_email`)).status, 500)
    await service.run(Effect.exit(Invitations.use((door) => door.open({ token, request_id }))))
    service.faults.writesBreak = false
    assert.strictEqual((await inviter.reader.get("/introductions")).listAt("data").length, 1)
    assert.deepInclude(Object((await inviter.reader.get(`/introductions/${id}`)).at("")), {
      status: "PENDING",
      resend_count: 0
    })
    assert.deepStrictEqual(await eventTypes(), ["introduction.created"])
  })
})
