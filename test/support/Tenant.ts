import { Effect } from "effect"
import { ApiKeys, type KeyWithSecret } from "../../src/app/access/ApiKeys.ts"
import { AuditLog } from "../../src/app/access/AuditLog.ts"
import { type NewOrganisation, Organisations } from "../../src/app/access/Organisations.ts"
import type { Scope } from "../../src/domain/access/ApiKey.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { Plan } from "../../src/domain/access/Plan.ts"
import { CurrentCaller } from "../../src/ports/access/CurrentCaller.ts"
import type { Client, Parts, Service } from "./Service.ts"

/** An organisation with a key of each scope. */
export interface Tenant {
  readonly organisation: Organisation
  readonly readKey: KeyWithSecret
  readonly writeKey: KeyWithSecret
  /** Requests with the READ key. */
  readonly reader: Client
  /** Requests with the WRITE key. */
  readonly writer: Client
  /** What staff do. */
  readonly staff: <A, E>(effect: Effect.Effect<A, E, Parts | CurrentCaller>) => Promise<A>
}

/** An operator who acts for an organisation. */
export const asOperator =
  (organisation: Organisation) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, CurrentCaller, {
      organisation,
      actor: { type: "SYSTEM", id: "test" },
      scope: "WRITE",
      request_id: "req_operator"
    })

/** An account that takes charges: at the test processor in a sandbox, and at a bank elsewhere. */
export const chargingAccount = ({ is_sandbox }: Organisation) =>
  is_sandbox
    ? ({ label: "Main account", processor_connect_account_id: "acct_1" } as const)
    : ({
        label: "Main account",
        processor_connect_account_id: "acct_1",
        processor: "bank",
        bank_account: { account_name: "Harbour", bsb: "062-000", account_number: "12345678" }
      } as const)

export const makeKey = (service: Service, organisation: Organisation, scope: Scope): Promise<KeyWithSecret> =>
  service.run(ApiKeys.use((keys) => keys.create({ name: `${scope} key`, scope })).pipe(asOperator(organisation)))

const tenantOf = async (service: Service, organisation: Organisation): Promise<Tenant> => {
  const readKey = await makeKey(service, organisation, "READ")
  const writeKey = await makeKey(service, organisation, "WRITE")
  const [reader, writer] = [service.as(readKey.secret), service.as(writeKey.secret)]
  return {
    organisation,
    readKey,
    writeKey,
    reader,
    writer,
    staff: (effect) => service.run(asOperator(organisation)(effect))
  }
}

let made = 0

/** Makes an organisation with its sandbox twin, and keys for both. */
export const makeTenants = async (
  service: Service,
  given: Partial<NewOrganisation> = {}
): Promise<{ readonly live: Tenant; readonly sandbox: Tenant }> => {
  made += 1
  const input: NewOrganisation = {
    slug: `charity-${made}`,
    name: "Charity",
    timezone: "Australia/Sydney",
    default_currency: "AUD",
    plan: "ENTERPRISE",
    sandbox_webhook_cidrs: [],
    ...given
  }
  const { live, sandbox } = await service.run(
    Organisations.use((organisations) =>
      organisations.create(input, { actor: { type: "SYSTEM", id: "test" }, request_id: "req_test" })
    )
  )
  return { live: await tenantOf(service, live), sandbox: await tenantOf(service, sandbox) }
}

/** Makes a live organisation with a key of each scope. */
export const makeTenant = async (service: Service, plan: Plan = "ENTERPRISE"): Promise<Tenant> =>
  (await makeTenants(service, { plan })).live

/** The audit of an organisation, newest first. */
export const auditOf = (service: Service, organisation: Organisation) =>
  service.run(AuditLog.use((log) => log.list(1_000)).pipe(asOperator(organisation)))

/** An event as REST shows it. */
export interface EventView {
  readonly id: string
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

/** All events of an organisation, the oldest first. */
export const eventsOf = async ({ reader }: Pick<Tenant, "reader">): Promise<ReadonlyArray<EventView>> => {
  const all: Array<EventView> = []
  for (let more = true; more; ) {
    const after = all.at(-1)?.id
    const from = after === undefined ? "" : `&starting_after=${after}`
    const page = await reader.get(`/events?sort=created_at&limit=100${from}`)
    all.push(...(page.at("data") as ReadonlyArray<EventView>))
    more = page.at("has_more") === true
  }
  return all
}
