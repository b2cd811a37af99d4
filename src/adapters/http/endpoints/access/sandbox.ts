import { HttpApiGroup, OpenApi } from "effect/http-api"
import { sandboxOperations } from "../../../../app/outbox/Sandbox.ts"
import { beyond, get, post } from "../Declare.ts"
import { instant } from "../Example.ts"

export class SandboxGroup extends HttpApiGroup.make("sandbox")
  .add(
    get(sandboxOperations.read, "read", "/sandbox", {
      description: `A live organisation's is the real time. ${beyond}`,
      example: { answer: { now: instant, ahead_seconds: 0 } }
    }),
    post(sandboxOperations.advance, "advance", "/sandbox/advance", {
      description: `What falls due meanwhile happens in its order, as it would have. Where much is due the answer says reached false: ask for to, with the until that it names, until it says true. Conflict for a live organisation, for one with an account at a real processor, for a time that has passed, and while another request waits for the one that moves the clock. ${beyond}`,
      example: {
        request: { duration: "30d" },
        answer: { now: instant, ahead_seconds: 2_592_000, until: instant, reached: true }
      }
    })
  )
  .annotate(OpenApi.Description, "The clock of a sandbox.") {}
