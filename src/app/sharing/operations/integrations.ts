import * as Integration from "../../../domain/access/Integration.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Integrations, takes } from "../Integrations.ts"

const integrations = operationsOf(Integrations)

/** The operations of {@link Integrations}. */
export const integrationOperations = {
  create: integrations.forOperator({
    asks: asks.create,
    takes: takes.create,
    gives: Integration.DisclosedIntegration,
    run: (use, input) => use.create(input)
  }),
  list: integrations.forOperator({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(Integration.IntegrationRecord),
    run: (use, asked) => use.list(asked)
  }),
  rotatePassphrase: integrations.forOperator({
    asks: asks.rotatePassphrase,
    takes: takes.rotatePassphrase,
    gives: Integration.DisclosedIntegration,
    run: (use, integration) => use.rotatePassphrase(integration)
  })
}
