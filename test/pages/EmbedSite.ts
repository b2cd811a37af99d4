import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** Where a form is, and by which token another site embeds it. */
interface Embedded {
  readonly embed_token: string
  readonly url: string
  /** What the link shows; words where it is not said. */
  readonly shows?: string
}

/**
 * A page of a site, whose policy lets it run its scripts and ours, and frame our pages: `events` has what it was told, and `shift`
 * how far its layout moved.
 */
const sitePage = ({
  embed_token,
  shows = "Give to the appeal",
  url
}: Embedded) => `<!doctype html><title>A site</title><h1>Our appeal</h1>
<a data-almoner="${embed_token}" href="${url}?cmp=spring" style="display:block;min-height:100vh">${shows}</a>
<script src="${new URL("/embed.js", url)}"></script><p id="below">Below the form</p>
<script>window.events=[];window.shift=0
for(const type of ["almoner:submitted","almoner:completed"])addEventListener(type,()=>events.push(type))
new PerformanceObserver((list)=>{for(const entry of list.getEntries())shift+=entry.value}).observe({type:"layout-shift",buffered:true})</script>`

/** Opens a site, each of whose addresses is a page with a form in a frame. */
export const openSite = async (embedded: () => Embedded) => {
  const site = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html; charset=utf-8")
    answer.end(sitePage(embedded()))
  }).listen(0, "127.0.0.1")
  await new Promise((resolve) => site.once("listening", resolve))
  const { port } = site.address() as AddressInfo
  return { close: () => site.close(), port }
}
