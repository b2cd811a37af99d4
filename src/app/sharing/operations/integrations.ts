import * as Integration from "../../../domain/access/Integration.ts"
import { IntegrationId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, Integrations } from "../Integrations.ts"

const integrations = operationsOf(Integrations)

/** The operations of {@link Integrations}. */
export const integrationOperations = {
  create: integrations.forOperator({
    asks: asks.create,
    takes: [body(Integration.NewIntegration)],
    gives: Integration.DisclosedIntegration,
    run: (use, input) => use.create(input)
  }),
  list: integrations.forOperator({
    asks: asks.list,
    takes: [query(Integration.listing)],
    gives: pageOf(Integration.IntegrationRecord),
    run: (use, asked) => use.list(asked)
  }),
  rotatePassphrase: integrations.forOperator({
    asks: asks.rotatePassphrase,
    takes: [id(IntegrationId, "integration")],
    gives: Integration.DisclosedIntegration,
    run: (use, integration) => use.rotatePassphrase(integration)
  })
}
