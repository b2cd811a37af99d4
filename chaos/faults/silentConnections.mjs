import { openSilentProxy } from "../SilentProxy.mjs"
import { underLoad } from "../UnderLoad.mjs"

export const silentConnections = {
  title: "All connections to the database go silent",
  recoverWithin: 60,
  async run(context) {
    const proxies = []
    const throughProxy = async (url) => {
      const proxy = await openSilentProxy(context.postgres.port)
      proxies.push(proxy)
      const through = new URL(url)
      through.port = String(proxy.port)
      return through.href
    }
    try {
      return await underLoad(context, { patience: 75, world: { databaseUrl: throughProxy } }, async () => {
        const cut = proxies.reduce((sum, proxy) => sum + proxy.silence(), 0)
        return { endedAt: performance.now(), notes: [`${cut} connections`] }
      })
    } finally {
      for (const proxy of proxies) proxy.close()
    }
  }
}
