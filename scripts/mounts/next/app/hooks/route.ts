import { verifyWebhook } from "almoner/client"

export const POST = async (request: Request): Promise<Response> => {
  try {
    const body = await request.text()
    const outcome = await verifyWebhook({ body, headers: request.headers, secret: "whsec_of_the_battery" }).outcome()
    return new Response(outcome.ok ? null : outcome.failure.reason, { status: outcome.ok ? 204 : 400 })
  } catch (error) {
    return new Response(String(error), { status: 500 })
  }
}
