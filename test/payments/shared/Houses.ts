import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Integrations } from "../../../src/app/sharing/Integrations.ts"
import type { AllocationId, IntegrationId } from "../../../src/domain/kernel/Ids.ts"
import { PaymentMethod } from "../../../src/domain/kernel/PaymentMethod.ts"
import { standardAccount } from "../../../src/domain/payments/TestCharge.ts"
import type { SubmittedCheckout } from "../../../src/domain/sharing/Checkout.ts"
import { TestBank } from "../../../src/ports/payments/TestBank.ts"
import { type GivingSandbox, makeGivingSandbox } from "../../support/GivingSandbox.ts"
import type { Service } from "../../support/Service.ts"
import { asOperator } from "../../support/Tenant.ts"
import type { Points } from "../Points.ts"

/** A part of a set, and the house that gets it. */
export interface Share {
  readonly id: AllocationId
  readonly link: string
  /** Which of the houses. */
  readonly to: number
}

/** An organisation that takes gifts and recommends others. */
export interface House {
  readonly giving: GivingSandbox
  /** Its accounts: the one that takes its gifts, and another one. Others recommend both. */
  readonly accounts: readonly [IntegrationId, IntegrationId]
  readonly set: { readonly id: string; readonly url_key: string; readonly shares: ReadonlyArray<Share> }
}

export interface RecurringGift {
  readonly house: House
  readonly answer: SubmittedCheckout
}

/** Three organisations that recommend each other, and what donors gave them. */
export interface Houses {
  readonly service: Service
  readonly points: Points
  readonly houses: ReadonlyArray<House>
  readonly repeated: Array<RecurringGift>
  /** The attempts whose money somebody has moved by hand. */
  readonly movedByHand: Set<string>
  readonly isInMemory: boolean
}

/** Sets what the bank does with one of the accounts of a house. */
export const setAccount = (
  { service }: Houses,
  house: House,
  account: 0 | 1,
  set: Partial<ReturnType<typeof standardAccount>>
) =>
  service.run(
    TestBank.use((bank) =>
      bank.setAccount({ ...standardAccount(house.giving.tenant.organisation.id, house.accounts[account]), ...set })
    )
  )

/** How many recommend each other. */
const count = 3

/** Parts of each set: two for the next house, at two accounts, and one for the one after it. */
const shares = 3

const second = ({ tenant }: GivingSandbox) =>
  tenant.staff(Integrations.use((all) => all.create({ label: "Second", processor_connect_account_id: "acct_2" })))

const passphraseOf = (service: Service, { integration_id, tenant }: GivingSandbox) =>
  service.run(
    Effect.map(
      Integrations.use((all) => all.rotatePassphrase(integration_id)).pipe(asOperator(tenant.organisation)),
      ({ passphrase }) => passphrase
    )
  )

const linked = async ({ tenant }: GivingSandbox, passphrase: string): Promise<string> => {
  const made = await tenant.writer.post("/recipient-accounts", { passphrase })
  assert.strictEqual(made.status, 201, made.text)
  return made.textAt("id")
}

/** Makes three houses in which nothing has happened yet. */
export const makeHouses = async (service: Service, points: Points, isInMemory: boolean): Promise<Houses> => {
  const all: Array<GivingSandbox> = []
  for (let index = 0; index < count; index += 1) {
    const form = { recurring_frequencies: ["WEEKLY", "MONTHLY"] }
    all.push(await makeGivingSandbox(service, form, { methods: PaymentMethod.literals }))
  }
  const seconds = await Promise.all(all.map(second))
  const passphrases = await Promise.all(
    all.map(async (giving, index) => [seconds[index]?.passphrase ?? "", await passphraseOf(service, giving)] as const)
  )
  const houses: Array<House> = []
  for (const [index, giving] of all.entries()) {
    const links: Array<{ readonly link: string; readonly to: number }> = []
    for (const step of [1, 2]) {
      const to = (index + step) % count
      for (const passphrase of passphrases[to] ?? assert.fail()) {
        if (links.length < shares) links.push({ link: await linked(giving, passphrase), to })
      }
    }
    const made = await giving.tenant.writer.post("/recommendation-sets", {
      name: "Harvest",
      amount_mode: "OPEN",
      allocations: links.map(({ link }) => ({ recipient_org_account_link_id: link, amount_cents: 0 }))
    })
    assert.strictEqual(made.status, 201, made.text)
    const allocations = made.at("allocations") as ReadonlyArray<{ id: AllocationId }>
    houses.push({
      giving,
      accounts: [giving.integration_id, seconds[index]?.id ?? assert.fail()],
      set: {
        id: made.textAt("id"),
        url_key: made.textAt("url_key"),
        shares: allocations.map(({ id }, at) => ({ id, ...(links[at] ?? assert.fail()) }))
      }
    })
  }
  return { service, points, houses, repeated: [], movedByHand: new Set(), isInMemory }
}
