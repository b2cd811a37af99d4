import { service } from "../../../lib/almoner.ts"

/** Notices of payment processors, byte for byte as they come. */
export const POST = async (request: Request): Promise<Response> => {
  const { api } = await service()
  return api.fetch(request)
}
