import * as Integration from "../../../domain/access/Integration.ts"
import { OnboardingLink } from "../../../domain/access/Onboarding.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Integrations, takes } from "../Integrations.ts"

const integrations = operationsOf(Integrations)

/** The operations of {@link Integrations}. */
export const integrationOperations = {
  create: integrations.forOperator({
    says: "Make a processor integration and show its distribution passphrase once",
    example: [{ label: "Main account", processor_connect_account_id: "acct_1Q8harbour" }],
    asks: asks.create,
    takes: takes.create,
    gives: Integration.DisclosedIntegration,
    run: (use, input) => use.create(input)
  }),
  onboard: integrations.forOperator({
    says: "Make a link under which an organisation tells the processor what it asks for; it can be opened once",
    example: ["intg_…", { return_url: "https://give.example.org/done", refresh_url: "https://give.example.org/again" }],
    asks: asks.onboard,
    takes: takes.onboard,
    gives: OnboardingLink,
    run: (use, integration, input) => use.onboard(integration, input)
  }),
  check: integrations.forOperator({
    says: "Ask the processor now whether an account takes charges",
    asks: asks.check,
    takes: takes.check,
    gives: Integration.IntegrationRecord,
    run: (use, integration) => use.check(integration)
  }),
  list: integrations.forOperator({
    says: "List processor integrations, newest first",
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(Integration.IntegrationRecord),
    run: (use, asked) => use.list(asked)
  }),
  rotatePassphrase: integrations.forOperator({
    says: "Give an integration a new passphrase and show it once: the old one stops, what it linked stays linked",
    asks: asks.rotatePassphrase,
    takes: takes.rotatePassphrase,
    gives: Integration.DisclosedIntegration,
    run: (use, integration) => use.rotatePassphrase(integration)
  }),
  setDefault: integrations.forOperator({
    says: "Have an integration take the organisation's gifts from now on",
    asks: asks.setDefault,
    takes: takes.setDefault,
    gives: Integration.IntegrationRecord,
    run: (use, integration) => use.setDefault(integration)
  }),
  setBankAccount: integrations.forOperator({
    says: "Tell donors another bank account from now on, those too who have not paid yet",
    asks: asks.setBankAccount,
    takes: takes.setBankAccount,
    gives: Integration.IntegrationRecord,
    run: (use, integration, input) => use.setBankAccount(integration, input)
  }),
  rotateCredentials: integrations.forOperator({
    says: "Give an own account new credentials; former notice secrets stay valid for a while",
    asks: asks.rotateCredentials,
    takes: takes.rotateCredentials,
    gives: Integration.IntegrationRecord,
    run: (use, integration, input) => use.rotateCredentials(integration, input)
  }),
  deactivate: integrations.forOperator({
    says: "Have an integration take no gifts any more; what was given settles, and links to it stay",
    asks: asks.deactivate,
    takes: takes.deactivate,
    gives: Integration.IntegrationRecord,
    run: (use, integration) => use.deactivate(integration)
  })
}
