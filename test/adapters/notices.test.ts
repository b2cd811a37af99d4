import { assert } from "@effect/vitest"
import { Layer, Option } from "effect"
import * as TestProcessor from "../../src/adapters/processors/test/TestProcessor.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { NoticeReceiver } from "../../src/app/payments/notice/NoticeReceiver.ts"
import { IntegrationStore, type NoticeFacts, NoticeStore } from "../../src/ports.ts"
import { at } from "../../src/testing/conformance/Records.ts"
import { withLayer } from "../support/Steps.ts"
import { almoner, json, newOrganisation, world } from "./CommandWorld.ts"

const factsOf = (event_id: string): NoticeFacts => ({
  event_id,
  type: "charge.succeeded",
  object: { kind: "charge", reference: "pi_1", charge_id: null },
  account: null,
  created_at: at(0)
})

withLayer(Layer.provideMerge(TestProcessor.layer, world))("notices on the command line", ({ effect }) => {
  effect("are listed, shown and retried, and those of no organisation are listed apart", function* () {
    yield* newOrganisation("brook")
    const sandbox = "brook-sandbox"
    const by = ["--organisation", sandbox]
    const { id } = yield* json("integration", "create", ...by, "--label", "A", "--processor-connect-account", "a")
    const organisation = yield* Organisations.use((organisations) => organisations.findBySlug(sandbox))
    const integration = Option.getOrThrow(yield* (yield* IntegrationStore).find(organisation.id, id))
    const intake = yield* NoticeReceiver
    const store = yield* NoticeStore
    yield* intake.takeUnseen(integration, [factsOf("evt_1")])
    yield* intake.take({ name: "test", integration: Option.none() }, factsOf("evt_2"))
    const listed = yield* json("notice", "list", ...by)
    const [first = assert.fail()] = listed.data
    assert.deepInclude(first, { event_id: "evt_1", status: "RECEIVED", integration_id: id, object: "charge" })
    assert.notProperty(first, "organisation_id")
    assert.deepStrictEqual(yield* json("notice", "show", first.id, ...by), first)
    const refused = yield* almoner("notice", "retry", first.id, ...by)
    assert.include(refused.failure, "only while it is IGNORED or FAILED")
    const held = Option.getOrThrow(yield* store.hold(first.id))
    yield* store.update({ ...held, status: "FAILED", error: "no_such_charge", apply_at: null, ended_at: at(1) })
    assert.lengthOf((yield* json("notice", "list", "--status", "FAILED", ...by)).data, 1)
    assert.deepInclude(yield* json("notice", "retry", first.id, ...by), { status: "RECEIVED", error: null })
    const unclaimed = yield* json("notice", "unclaimed")
    assert.deepStrictEqual(
      unclaimed.data.map((each: Record<string, unknown>) => [each["event_id"], each["integration_id"]]),
      [["evt_2", null]]
    )
    const shown = yield* almoner("notice", "show", unclaimed.data[0].id, ...by)
    assert.notStrictEqual(shown.failure, "")
    const { data } = yield* json("audit", "list", ...by)
    assert.lengthOf(
      data.filter(({ operation }: Record<string, string>) => operation === "notices.retry"),
      1
    )
  })
})
