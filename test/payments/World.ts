import { assert } from "@effect/vitest"
import { DateTime, Layer } from "effect"
import * as Processors from "../../src/adapters/processors/Processors.ts"
import { TestBank } from "../../src/ports/payments/TestBank.ts"
import { changePort } from "../support/ChangePort.ts"
import { makeGivingSandbox } from "../support/GivingSandbox.ts"
import { type Service, startService } from "../support/Service.ts"
import type { StoresLayer } from "../support/Stores.ts"
import { asOperator } from "../support/Tenant.ts"
import type { World } from "./Action.ts"
import { countGifts, law, undisclosedOf } from "./DisclosureLaw.ts"
import { type Points, watchedPorts, watchedProcessors } from "./Points.ts"
import { withShortReconciliations } from "./ShortLeases.ts"

/** The simulated bank by the test's clock, on every kind of stores. */
const byTestClock = (stores: StoresLayer): StoresLayer =>
  changePort(TestBank, () => ({ now: DateTime.now })).pipe(Layer.provideMerge(stores))

/** Starts a service with points at which whoever runs it can be stopped. */
export const startWithPoints = (stores: StoresLayer, points: Points): Promise<Service> =>
  startService({
    stores: Layer.merge(watchedPorts(points, withShortReconciliations(byTestClock(stores))), law),
    processors: watchedProcessors(points, Processors.layer())
  })

/** Makes a world in which nothing has happened yet, with an organisation and two forms of its own. */
export const makeWorld = async (service: Service, points: Points): Promise<World> => {
  const giving = await makeGivingSandbox(service, {}, { methods: ["card", "au_becs_debit", "payto", "bank_transfer"] })
  const { organisation, writer } = giving.tenant
  await service.run(countGifts("winter").pipe(asOperator(organisation)))
  const spring = { name: "Spring appeal", status: "ACTIVE", revenue_code: "WINTER" }
  const second = await writer.post("/forms", spring)
  const forms: World["forms"] = [
    { id: giving.form.id, slug: giving.form.slug, status: "ACTIVE" },
    { id: second.textAt("id"), slug: second.textAt("slug"), status: "ACTIVE" }
  ]
  return { service, points, giving, forms, gifts: [], links: [], lines: new Map(), booked: [], wasDisabled: false }
}

/** No gift is without its disclosure, wherever somebody was stopped. */
export const assertDisclosed = async ({ giving, service }: World): Promise<void> => {
  assert.deepStrictEqual(await service.run(undisclosedOf(giving.tenant.organisation.id)), [])
}
