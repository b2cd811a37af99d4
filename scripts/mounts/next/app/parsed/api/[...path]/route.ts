import { service } from "../../../../lib/almoner.ts"

export const POST = async (request: Request): Promise<Response> => {
  const moved = new Request(request.url.replace("/parsed", ""), request)
  await moved.json()
  return (await service()).api.fetch(moved)
}
