import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Scope } from "../../../../domain/access/ApiKey.ts"
import { reads } from "../../../../domain/access/Policy.ts"
import { OrganisationId } from "../../../../domain/kernel/Ids.ts"
import { CurrentCaller } from "../../../../ports/access/CurrentCaller.ts"
import { listErrors, publicErrors } from "../../pipeline/ErrorEnvelope.ts"
import type { OwnHandlersOf } from "../../pipeline/Handler.ts"
import { Settings } from "../../pipeline/Settings.ts"
import { performsByItself } from "../Declare.ts"
import { type Example, idOf } from "../Example.ts"
import { exampleOrganisation } from "./organisations.ts"

const meanings = {
  scope: "What the key may do.",
  status: "That the service is up.",
  version: "Version of the service.",
  request_id: "The request's id, as in `x-request-id`."
}

/** service-spec, GET /api/v1/health. */
export const Health = Schema.Struct({
  status: Schema.Literals(["ok"]),
  version: Schema.String,
  request_id: Schema.String
}).annotate({ identifier: "Health", meanings })

/** service-spec, GET /api/v1/whoami. */
export const Whoami = Schema.Struct({ organisation_id: OrganisationId, scope: Scope }).annotate({
  identifier: "Whoami",
  meanings
})

/** That the service is up. The edge answers it before it asks for a key. service-spec, GET /health. */
export const healthOf = (version: string, request_id: string) => ({ status: "ok", version, request_id }) as const

export const healthExample = (version: string): Example => ({ answer: healthOf(version, idOf("request")) })

export class MetaGroup extends HttpApiGroup.make("meta")
  .add(
    HttpApiEndpoint.get("health", "/health", { success: Health, error: publicErrors }).annotateMerge(
      OpenApi.annotations({
        identifier: "meta_health",
        summary: "Tell that the service is up",
        description: "Needs no key. Answers as long as the process serves requests."
      })
    ),
    HttpApiEndpoint.get("whoami", "/whoami", { success: Whoami, error: listErrors }).annotateMerge(
      performsByItself(reads("meta.whoami"), {
        summary: "Tell whose key this is",
        description: "Answers the organisation that the key belongs to and what the key may do.",
        example: { answer: { organisation_id: exampleOrganisation.id, scope: "WRITE" } }
      })
    )
  )
  .annotate(OpenApi.Description, "The service itself and the key in use.") {}

/** service-spec, GET /health; service-spec, GET /whoami. */
export const metaHandlers = Effect.map(
  Settings,
  ({ version }): OwnHandlersOf<typeof MetaGroup> => ({
    health: { run: ({ request_id }) => Effect.succeed(healthOf(version, request_id)) },
    whoami: {
      run: () => Effect.map(CurrentCaller, ({ organisation, scope }) => ({ organisation_id: organisation.id, scope }))
    }
  })
)
