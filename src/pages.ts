/**
 * The pages on which donors give, for `serve` of `almoner/http` and for programs written with Effect:
 * `serve(almoner, { pages })` answers the addresses that forms, sets and checkout links have. It needs `hono` and `isbot`.
 * docs/guides/pages.md
 */

export { layer as pages, pagePaths } from "./adapters/pages/DonorPages.ts"
export { type ChosenPages, PageSettings } from "./adapters/pages/PageSettings.ts"
