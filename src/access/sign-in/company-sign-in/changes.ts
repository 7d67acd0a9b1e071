import type { CommandHandlers } from '../../../store/storage/registry.ts'
import { announceCertificates } from './certificates.ts'
import * as companySignIns from './steps.ts'
import { keepTest, tryOut } from './test-sign-in.ts'

export const changes = {
  'sign_in_connections.announce_certificates': announceCertificates,
  'company_sign_ins.begin': companySignIns.startSignIn,
  'company_sign_ins.take': companySignIns.claimPending,
  'company_sign_ins.finish': companySignIns.finish,
  'company_sign_ins.keep_failure': companySignIns.keepFailure,
  'company_sign_ins.keep_test': keepTest,
  'company_sign_ins.try': tryOut,
  'company_sign_ins.sign_out': companySignIns.signOut,
  'company_sign_ins.prune': companySignIns.prune,
} satisfies CommandHandlers
