import { serve } from "almoner/http"
import { pages } from "almoner/pages"
import { isServed, received, run } from "../host.mjs"

// The servers of Bun and Deno without a framework.

const doors = async (api, request, from) => {
  const url = new URL(request.url)
  const { pathname } = url
  if (isServed(pathname)) return api.fetch(request, from)
  if (pathname.endsWith("/hooks")) {
    const body = pathname === "/hooks" ? await request.text() : await request.json()
    const { status, text } = await received({ body, headers: request.headers })
    return new Response(text, { status })
  }
  const door = pathname.startsWith("/kept/") ? "/kept" : "/parsed"
  url.pathname = pathname.slice(door.length)
  const moved = new Request(url, request)
  const copy = door === "/kept" ? moved.clone() : moved
  await moved.json()
  return api.fetch(copy, from)
}

await run(async (almoner) => {
  if ("Bun" in globalThis) {
    const api = await serve(almoner, {
      pages,
      clientAddress: (request, server) => server.requestIP(request)?.address ?? ""
    })
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request, server) => doors(api, request, server)
    })
    return { port: server.port, close: () => server.stop() }
  }
  const api = await serve(almoner, { pages, clientAddress: (_, info) => info.remoteAddr.hostname })
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} }
  const server = Deno.serve(options, (request, info) => doors(api, request, info))
  return { port: server.addr.port, close: () => server.shutdown() }
})
