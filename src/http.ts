/**
 * The HTTP API for hosts: `serve(almoner)` gives a web-standard handler and a listener of `node:http`. The layers
 * beneath are for programs written with Effect: `HttpService.layer` is the pipeline, `toFetch` makes it a web-standard
 * handler, and `NodeServer.layer` serves it over `node:http`. docs/guides/embed.md shows them.
 */

export { Api } from "./adapters/http/Api.ts"
export type { Handle } from "./adapters/http/pipeline/Edge.ts"
export type { BodyAllowance, BodyRead, EdgeRequest, EdgeResponse } from "./adapters/http/pipeline/Handler.ts"
export { type EdgeSettings, Settings } from "./adapters/http/pipeline/Settings.ts"
export { documents } from "./adapters/http/reference/Reference.ts"
export { HttpService } from "./adapters/http/Service.ts"
export { type Access, AccessLog } from "./adapters/http/server/AccessLog.ts"
export type { Document, Documents } from "./adapters/http/server/Documents.ts"
export { toFetch } from "./adapters/http/server/Fetch.ts"
export * as NodeServer from "./adapters/http/server/NodeServer.ts"
export type { Proxies } from "./domain/access/ClientAddress.ts"
export { type ServedApi, type ServeOptions, serve } from "./facade/Serve.ts"
