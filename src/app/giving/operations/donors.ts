import * as Donor from "../../../domain/giving/Donor.ts"
import { DonorId } from "../../../domain/kernel/Ids.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, Donors } from "../Donors.ts"

const donors = operationsOf(Donors)

const donorId = id(DonorId, "donor")

/** The operations of {@link Donors}. */
export const donorOperations = {
  create: donors.forCaller({
    asks: asks.create,
    keyed: true,
    takes: [body(Donor.NewDonor, Donor.DonorRecord)],
    gives: Donor.DonorRecord,
    run: (use, input) => use.create(input)
  }),
  read: donors.forCaller({
    asks: asks.read,
    takes: [donorId],
    gives: Donor.DonorRecord,
    run: (use, donor) => use.read(donor)
  }),
  list: donors.forCaller({
    asks: asks.list,
    takes: [query(Donor.listing)],
    gives: pageOf(Donor.DonorRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: donors.forCaller({
    asks: asks.update,
    keyed: true,
    takes: [donorId, body(Donor.DonorPatch, Donor.DonorRecord)],
    gives: Donor.DonorRecord,
    run: (use, donor, patch) => use.update(donor, patch)
  }),
  archive: donors.forCaller({
    asks: asks.archive,
    keyed: false,
    takes: [donorId],
    gives: Donor.DonorRecord,
    run: (use, donor) => use.archive(donor)
  }),
  merge: donors.forCaller({
    asks: asks.merge,
    keyed: true,
    takes: [donorId, body(Donor.DonorMerge, Donor.DonorRecord)],
    gives: Donor.DonorRecord,
    run: (use, donor, input) => use.merge(donor, input)
  })
}
