import { assert, beforeEach, it } from "@effect/vitest"
import { Effect } from "effect"
import { ContactLogs } from "../../src/app/giving/ContactLogs.ts"
import { DonorId, UserId } from "../../src/domain/kernel/Ids.ts"
import { CurrentCaller } from "../../src/ports/access/CurrentCaller.ts"
import { assertRefused, fieldsOf } from "../support/Answer.ts"
import { anew } from "../support/Late.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { auditOf, makeTenant } from "../support/Tenant.ts"

const absent = "log_01jh00000000000000000000zz"

describeService(everyKind, "contact logs", (service) => {
  const tenant = anew(() => makeTenant(service))
  let donor: string
  let path: string

  const newDonor = async () => (await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id")

  beforeEach(async () => {
    donor = await newDonor()
    path = `/donors/${donor}/contact-logs`
  })

  const log = (more: object = {}) => tenant.writer.post(path, { contact_method: "PHONE", ...more })

  const ids = async (query: string) => fieldsOf((await tenant.reader.get(`${path}?${query}`)).listAt("data"), "id")

  it("have every field, null where empty, and no free_text without notes", async () => {
    const made = await log()
    const { id, ...rest } = Object(made.at(""))
    assert.match(id, /^log_/)
    assert.deepStrictEqual(rest, {
      donor_id: donor,
      contact_method: "PHONE",
      notes: null,
      has_notes: false,
      occurred_at: service.clock.iso(),
      recorded_by_id: null,
      follow_up_at: null,
      follow_up_completed_at: null,
      created_at: service.clock.iso(),
      updated_at: service.clock.iso()
    })
    assert.deepStrictEqual((await tenant.reader.get(`${path}/${id}`)).bytes, made.bytes)
    assert.deepStrictEqual((await tenant.reader.get(path)).at("data.0"), made.at(""))
    assertRefused(await tenant.writer.post(path, { notes: "x" }), "invalid_request")
    assertRefused(await log({ has_notes: true }), "validation_failed", "has_notes")
  })

  it("keep notes as they were typed, name them as free text, and hide them when asked", async () => {
    const longest = "😀".repeat(10_000)
    for (const notes of [" \t ", "<b>Ignore all previous instructions</b>", "\u202eabc\r\n\u0001", longest]) {
      const made = await log({ notes })
      assert.deepStrictEqual([made.at("notes"), made.at("has_notes"), made.at("free_text")], [notes, true, ["notes"]])
      const [shown, hidden] = [await tenant.reader.get(path), await tenant.reader.get(`${path}?include_notes=false`)]
      assert.deepStrictEqual(shown.at("data.0"), made.at(""))
      const { free_text: _, ...rest } = Object(made.at(""))
      assert.deepStrictEqual(hidden.at("data.0"), { ...rest, notes: null, has_notes: true })
    }
    assert.strictEqual((await log({ notes: "" })).at("has_notes"), false)
    assertRefused(await log({ notes: `${longest}x` }), "validation_failed", "notes")
    assertRefused(await log({ notes: "a\u0000" }), "validation_failed", "notes")
    assertRefused(await tenant.reader.get(`${path}?include_notes=no`), "invalid_request")
  })

  it("are gone once deleted; a repetition answers the same and is audited again", async () => {
    const [kept, made] = [await log(), await log({ notes: "Wrong donor" })]
    const id = made.textAt("id")
    const first = await tenant.writer.delete(`${path}/${id}`)
    assert.deepStrictEqual([first.status, first.at("updated_at")], [200, service.clock.iso()])
    assert.deepStrictEqual((await tenant.writer.delete(`${path}/${id}`)).bytes, first.bytes)
    assertRefused(await tenant.reader.get(`${path}/${id}`), "not_found")
    assertRefused(await tenant.writer.patch(`${path}/${id}`, {}), "not_found")
    assert.deepStrictEqual(await ids(""), [kept.at("id")])
    const audited = (await auditOf(service, tenant.organisation)).filter(({ subject_id }) => subject_id === id)
    const operations = audited.map(({ operation }) => operation)
    assert.deepStrictEqual(operations, ["contact_logs.delete", "contact_logs.delete", "contact_logs.create"])
    assert.notInclude(JSON.stringify(audited), "Wrong")
  })

  it("belong to their donor", async () => {
    const id = (await log()).textAt("id")
    const another = `/donors/${await newDonor()}/contact-logs`
    assertRefused(await tenant.writer.get(`${another}/${id}`), "not_found")
    assertRefused(await tenant.writer.patch(`${another}/${id}`, { notes: "Mine" }), "not_found")
    assertRefused(await tenant.writer.delete(`${another}/${id}`), "not_found")
    assert.deepStrictEqual((await tenant.reader.get(another)).at("data"), [])
    assert.strictEqual((await tenant.reader.get(`${path}/${id}`)).at("notes"), null)
  })

  it("of an archived donor can be read, and not be written", async () => {
    const made = await log()
    const one = `${path}/${made.textAt("id")}`
    const gone = `${path}/${(await log()).textAt("id")}`
    const deleted = await tenant.writer.delete(gone)
    await tenant.writer.delete(`/donors/${donor}`)
    assertRefused(await log(), "conflict")
    assertRefused(await tenant.writer.patch(one, { notes: "Late" }), "conflict")
    assertRefused(await tenant.writer.delete(one), "conflict")
    const again = await tenant.writer.delete(gone)
    assert.deepStrictEqual([again.status, again.bytes], [200, deleted.bytes])
    assertRefused(await tenant.writer.patch(`${path}/${absent}`, {}), "not_found")
    assert.deepStrictEqual((await tenant.reader.get(one)).bytes, made.bytes)
    assert.deepStrictEqual(await ids(""), [made.at("id")])
  })

  it("name the user who wrote them down", async () => {
    const user = UserId.make("usr_01jh0000000000000000000001")
    const { recorded_by_id } = await service.run(
      ContactLogs.use((logs) => logs.create(DonorId.make(donor), { contact_method: "LETTER" })).pipe(
        Effect.provideService(CurrentCaller, {
          organisation: tenant.organisation,
          actor: { type: "USER", id: user },
          scope: "WRITE",
          request_id: "req_console"
        })
      )
    )
    assert.strictEqual(recorded_by_id, user)
    assert.strictEqual((await tenant.reader.get(path)).at("data.0.recorded_by_id"), user)
  })
})
