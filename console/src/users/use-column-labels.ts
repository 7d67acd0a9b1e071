import { useLingui } from '@lingui/react/macro'
import type { ColumnId } from './columns.ts'

export function useColumnLabels(): Record<ColumnId, string> {
  const { t } = useLingui()
  return {
    username: t`User`,
    email: t`Email`,
    role: t`Role`,
    state: t`State`,
    last_login_at: t`Last sign-in`,
    created_at: t`Created`,
    updated_at: t`Last changed`,
    external_id: t`External ID`,
    user_id: t`User ID`,
  }
}
