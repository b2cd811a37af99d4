import { Context } from "effect"

/**
 * The address of an organisation's pages, with `{slug}` for the organisation: the setting `PUBLIC_URL_TEMPLATE`. MUST be
 * the same in all processes that serve one database.
 */
export const PublicUrlTemplate = Context.Reference<string>("almoner/ports/PublicUrlTemplate", {
  defaultValue: () => "http://{slug}.localhost:8080"
})
