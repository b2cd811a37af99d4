import { service } from "../../../../lib/almoner.ts"

export const POST = async (request: Request): Promise<Response> => {
  const copy = new Request(request.url.replace("/kept", ""), request.clone())
  await request.json()
  return (await service()).api.fetch(copy)
}
