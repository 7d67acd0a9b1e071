/** The results of a bulk change or of its dry run, per user. */
import type { AppError } from '../../core/errors.ts'
import type { ValuesPatch } from '../../directory/attributes/schema.ts'

export type ManyVerdict = { user_id: string; username: string | null } & (
  | { verdict: 'changed' | 'unchanged' }
  /** The former values, with which the same action restores them. */
  | {
      verdict: 'changed'
      before:
        | { attributes: ValuesPatch }
        | { locale: string | null }
        | { expires_at: string | null }
        | { organization_id: string | null }
    }
  /** Invited without a message: the caller gets the link. */
  | { verdict: 'changed'; shown: true; expires_at: string }
  | { verdict: 'refused'; code: AppError['code']; detail: string }
)

export type Judged = {
  verdicts: ManyVerdict[]
  /** How many of the changed users are administrators now and will not be afterwards. */
  administratorsGone: number
}
