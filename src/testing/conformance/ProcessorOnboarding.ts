import { DateTime, Effect } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import { IntegrationId } from "../../domain/kernel/Ids.ts"
import type { ProcessorOnboarding } from "../../ports/payments/ProcessorOnboarding.ts"
import { assert } from "./Assert.ts"
import { type ProcessorDriver, ProcessorUnderTest } from "./ProcessorDriver.ts"
import { freshId } from "./Records.ts"
import { type Body, type Check, lawsOn, type Step } from "./Suite.ts"

const { must } = lawsOn(ProcessorUnderTest)

const addresses = {
  return_url: "https://give.example.org/done?account=1",
  refresh_url: "https://give.example.org/again?account=1"
}

/** Runs something for an integration that has no account yet, where the processor opens accounts. */
const whereItOpens = <S extends Step>(
  name: string,
  sentences: ReadonlyArray<string>,
  body: Body<[driver: ProcessorDriver, onboarding: ProcessorOnboarding, integration: Integration], S>
) =>
  must(name, sentences, function* (driver) {
    const { onboarding } = driver.processor
    if (onboarding === undefined) return
    const id = IntegrationId.make(yield* freshId("integration"))
    const integration = { ...(yield* driver.account), id, is_own: false }
    yield* Effect.gen(() => body(driver, onboarding, integration))
  })

/** The checks of processors that open accounts; the others have nothing to prove. */
export const processorOnboarding: ReadonlyArray<Check<ProcessorUnderTest>> = [
  whereItOpens(
    "an integration gets one account, which the processor knows",
    ["ProcessorOnboarding.openAccount MUST open one only,"],

    function* (driver, onboarding, integration) {
      const opened = yield* Effect.all(
        [onboarding.openAccount(integration, null), onboarding.openAccount(integration, null)],
        { concurrency: 2 }
      )
      const [first, second] = opened.map(({ account_id }) => account_id)
      assert.strictEqual(first, second)
      const other = { ...integration, id: IntegrationId.make(yield* freshId("integration")) }
      assert.isTrue((yield* onboarding.openAccount(other, null)).account_id !== first)
      yield* driver.processor.fetchAccount({ ...integration, processor_connect_account_id: first ?? "" })
    }
  ),

  whereItOpens(
    "whoever fills in the form for an account is sent back, and the account takes charges then",
    ["ProcessorOnboarding.onboard MUST lead back to return_url;"],

    function* ({ fillIn, processor }, onboarding, integration) {
      const { account_id } = yield* onboarding.openAccount(integration, null)
      const opened = { ...integration, processor_connect_account_id: account_id }
      const { expires_at, url } = yield* onboarding.onboard(opened, addresses)
      assert.isTrue(DateTime.isGreaterThan(expires_at, yield* DateTime.now))
      if (fillIn === undefined) return
      assert.strictEqual(yield* fillIn(url), addresses.return_url)
      assert.isTrue((yield* processor.fetchAccount(opened)).charges_enabled)
    }
  )
]
