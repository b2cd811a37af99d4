import { service } from "../../lib/almoner.ts"
import { noticeFor } from "../../notice.mjs"

/** A key of the service that the routes serve, and a notice for an account of it. */
export const POST = async (): Promise<Response> => {
  const { almoner } = await service()
  const charity = { slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD" }
  const { sandbox } = await almoner.organisations.create(charity)
  const ada = await almoner.caller({ organisation: sandbox.id, user: "ada", scope: "WRITE" })
  const { secret: key } = await almoner.apiKeys.create(ada, { name: "Battery", scope: "WRITE" })
  return Response.json({ key, notice: await noticeFor(almoner, ada) })
}
