import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { type CurrentCaller, IntegrationStore } from "../../src/ports.ts"
import { linkedRecipient, makeGivingSandbox } from "../support/GivingSandbox.ts"
import { anew, serviceOver } from "../support/Late.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator } from "../support/Tenant.ts"

describe.each(everyKind)("own accounts and recommendation sets over %s", (_name, stores) => {
  const service = serviceOver({ stores })
  const giving = anew(() => makeGivingSandbox(service))

  /** Has an organisation's default account be an own one from now on, or a connected one again. */
  const setOwn = ({ id }: Organisation, is_own: boolean) =>
    service.run(
      Effect.gen(function* () {
        const store = yield* IntegrationStore
        const [account] = yield* store.defaultAnd(id, [])
        const { id: found } = Option.getOrThrow(Option.fromUndefinedOr(account))
        yield* store.update({ ...Option.getOrThrow(yield* store.ofId(found)), is_own })
      })
    )

  const make = (link: string) =>
    giving.tenant.writer.post("/recommendation-sets", {
      name: "Harvest",
      amount_mode: "FIXED",
      allocations: [{ recipient_org_account_link_id: link, amount_cents: 2_000 }]
    })

  it("a set has no recipient whose account is an own one, with and without an account to pay at", async () => {
    const { link, organisation } = await linkedRecipient(service, giving)
    await setOwn(organisation, true)
    const refuse = async () => {
      const answer = await make(link)
      assert.strictEqual(answer.status, 400, answer.text)
      assert.match(answer.text, /"invalid_request"/)
      assert.match(
        answer.text,
        /allocations\[0\]\.recipient_org_account_link_id is an account with credentials of its own/
      )
    }
    await refuse()
    await giving.tenant.staff(Integrations.use((use) => use.deactivate(giving.integration_id)))
    await refuse()
    await setOwn(organisation, false)
    assert.strictEqual((await make(link)).status, 201)
  })

  it("a set is not made where it would be paid at an own account, and one that was made takes no payment there", async () => {
    const { link } = await linkedRecipient(service, giving)
    const made = await make(link)
    assert.strictEqual(made.status, 201, made.text)
    const { organisation } = giving.tenant
    const target = { organisation: organisation.slug, url_key: made.textAt("url_key") }
    const open = () => service.run(Checkouts.use((use) => use.open(target)))
    assert.isNull((await open()).closed)
    await setOwn(organisation, true)
    const refused = await make(link)
    assert.strictEqual(refused.status, 400, refused.text)
    assert.match(refused.text, /"invalid_request"/)
    assert.match(refused.text, /cannot be paid at an account with credentials of its own/)
    assert.strictEqual((await open()).closed, "no_processor")
    const submission = giving.submission({ slug: null, url_key: target.url_key, amount_cents: 2_000 })
    const submitted = Checkouts.use((use) => Effect.flip(use.submit(submission)))
    assert.strictEqual((await service.run(submitted))._tag, "TakesNoPayment")
    // Gifts of its own it takes as ever.
    const form = await service.run(
      Checkouts.use((use) => use.open({ organisation: organisation.slug, slug: giving.form.slug }))
    )
    assert.isNull(form.closed)
  })

  it("a new passphrase of the default account stays while another account becomes the default", async () => {
    const { organisation } = giving.tenant
    const asked = <A, E>(effect: Effect.Effect<A, E, Integrations | CurrentCaller>) =>
      service.run(effect.pipe(asOperator(organisation)))
    let other = (await asked(Integrations.use((all) => all.create({ processor: "test", label: "Other" })))).id
    let current = giving.integration_id
    for (let round = 0; round < 5; round++) {
      const [rotated] = await Promise.all([
        asked(Integrations.use((all) => all.rotatePassphrase(current))),
        asked(Integrations.use((all) => all.setDefault(other)))
      ])
      const kept = await service.run(IntegrationStore.use((store) => store.ofId(current)))
      assert.strictEqual(Option.getOrThrow(kept).passphrase_hash, rotated.passphrase_hash)
      ;[current, other] = [other, current]
    }
  })
})
