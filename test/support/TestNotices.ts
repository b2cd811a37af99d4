import { DateTime, Effect, Option } from "effect"
import { NoticeReceiver } from "../../src/app/payments/notice/NoticeReceiver.ts"
import type { IntegrationId, OrganisationId } from "../../src/domain/kernel/Ids.ts"
import type { Notice } from "../../src/domain/payments/Notice.ts"
import { signatureHeader, signatureValue, signedText } from "../../src/domain/payments/TestNotice.ts"
import { Macs, NoticeStore } from "../../src/ports.ts"
import { queryOf } from "../../src/testing/conformance/Records.ts"
import type { Service } from "./Service.ts"

let made = 0

/** What a notice of the test processor says, where not told otherwise of a charge that nobody has. */
export const noticeBody = (
  given: { id?: string; type?: string; account?: string | null; object?: object } = {}
): string => {
  made += 1
  return JSON.stringify({
    id: `tnt_${made}`,
    type: "charge.succeeded",
    created_at: "2026-01-15T02:00:00.000Z",
    account: null,
    ...given,
    object: { kind: "charge", reference: null, charge_id: null, ...given.object }
  })
}

/** The headers with which the test processor signs a body, at the service's present or so many seconds from it. */
export const signedHeaders = (service: Service, integration_id: IntegrationId, body: string, away = 0) =>
  service.run(
    Effect.gen(function* () {
      const macs = yield* Macs
      const seconds = Math.floor((yield* DateTime.now).epochMilliseconds / 1000) + away
      const mac = yield* macs.make(macs.keyIds[0], "test_notice", signedText(integration_id, seconds, body))
      return { [signatureHeader]: signatureValue(seconds, Option.toArray(mac)) }
    })
  )

/** Takes in what the test processor says to an integration, where not told otherwise signed by it; whether it is new. */
export const hears = async (service: Service, id: IntegrationId, body: string, signed = body): Promise<boolean> => {
  const headers = await signedHeaders(service, id, signed)
  const bytes = new TextEncoder().encode(body)
  return service.run(NoticeReceiver.use((intake) => intake.receive({ _tag: "Integration", id }, headers, bytes)))
}

/** The notices of an organisation, the oldest first. */
export const noticesOf = async (service: Service, organisation_id: OrganisationId): Promise<ReadonlyArray<Notice>> => {
  const page = await service.run(NoticeStore.use((store) => store.list(organisation_id, queryOf())))
  return page.data.toReversed()
}

/** The notices of no organisation, the oldest first. */
export const unclaimedOf = async (service: Service): Promise<ReadonlyArray<Notice>> => {
  const page = await service.run(NoticeStore.use((store) => store.unclaimed(queryOf())))
  return page.data.toReversed()
}

/** Writes fields of a notice. */
export const changeNotice = (service: Service, notice: Notice, given: Partial<Notice>) =>
  service.run(NoticeStore.use((store) => store.update({ ...notice, ...given })))
