/** The problems that several operations share. An operation lists these, and what is particular to it. */
import type { ProblemCode } from '../../core/errors.ts'

type Problems = readonly ProblemCode[]

/** For an operation that takes a JSON body. */
export const bodyProblems: Problems = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
  'validation_failed',
]

/** For a change that takes `If-Match`. */
export const conditionProblems: Problems = ['malformed_header', 'precondition_failed', 'precondition_required']

/** For a resource with an ETag that is read. */
export const readConditionProblems: Problems = ['malformed_header', 'precondition_failed']

/** For a change of a user's account by others. */
export const ownAccountProblems: Problems = ['user_required', 'own_account']

/** For a change that needs no credential: the document adds these to other operations itself. */
export const publicChangeProblems: Problems = [
  'malformed_request',
  'ambiguous_credentials',
  'cross_origin',
  'overloaded',
  'storage_unavailable',
  'storage_full',
  'outcome_unknown',
  'draining',
]
