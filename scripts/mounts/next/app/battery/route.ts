import { service } from "../../lib/almoner.ts"
import { sandboxIn } from "../../sandbox.mjs"

/** A key of the service that the routes serve, and a notice for an account of it. */
export const POST = async (): Promise<Response> => {
  const { almoner } = await service()
  return Response.json(await sandboxIn(almoner))
}
