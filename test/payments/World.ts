import { assert } from "@effect/vitest"
import { DateTime, Layer } from "effect"
import * as Processors from "../../src/adapters/processors/Processors.ts"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { australianRegimes } from "../../src/domain/compliance/AustralianRegimes.ts"
import type { Regime } from "../../src/domain/compliance/Regime.ts"
import { shippedRegimes } from "../../src/domain/compliance/RegimeBook.ts"
import { CalendarDate } from "../../src/domain/kernel/CalendarDate.ts"
import { DisclosureStore } from "../../src/ports/compliance/DisclosureStore.ts"
import { InstallationRegimes } from "../../src/ports/compliance/InstallationRegimes.ts"
import { TestBank } from "../../src/ports/payments/TestBank.ts"
import { changePort } from "../support/ChangePort.ts"
import { makeGivingSandbox } from "../support/GivingSandbox.ts"
import { type Service, startService } from "../support/Service.ts"
import type { StoresLayer } from "../support/Stores.ts"
import { asOperator } from "../support/Tenant.ts"
import type { World } from "./Action.ts"
import { type Points, watchedPorts, watchedProcessors } from "./Points.ts"
import { withShortReconciliations } from "./ShortLeases.ts"

/** The simulated bank by the test's clock, on every kind of stores. */
const byTestClock = (stores: StoresLayer): StoresLayer =>
  changePort(TestBank, () => ({ now: DateTime.now })).pipe(Layer.provideMerge(stores))

const disclosedFrom = 1

/** A law by which every gift is disclosed. */
const regimeOf = (): Regime => ({
  ...(australianRegimes[0] ?? assert.fail()),
  effective_from: CalendarDate.make("2000-01-01"),
  effective_to: null,
  period_kind: "CALENDAR_YEAR",
  threshold_cents: disclosedFrom,
  comparison: "AT_LEAST"
})
const law = Layer.sync(InstallationRegimes, () => ({ ...shippedRegimes, regimes: [regimeOf()] }))

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
  const assigned = CodeAssignments.use(({ assign }) =>
    assign({ code: "winter", jurisdiction: regimeOf().jurisdiction })
  )
  await service.run(assigned.pipe(asOperator(organisation)))
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
  const { id } = giving.tenant.organisation
  const { currency, jurisdiction } = regimeOf()
  for (const year of [2025, 2026, 2027]) {
    const [starts_on, ends_on] = [CalendarDate.make(`${year}-01-01`), CalendarDate.make(`${year}-12-31`)]
    const period = { currency, jurisdiction, least_cents: disclosedFrom, starts_on, ends_on }
    const found = await service.run(DisclosureStore.use(({ differences }) => differences(id, period, 10)))
    assert.deepStrictEqual(found, [])
  }
}
