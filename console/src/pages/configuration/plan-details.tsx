import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import type { ConfigurationChange } from 'rollbook/client'
import { kindTexts } from './kind-texts.ts'

const actionTexts = {
  create: msg`Created`,
  update: msg`Changed`,
  delete: msg`Deleted`,
  adopt: msg`Adopted`,
  rename: msg`Renamed`,
  release: msg`No longer managed`,
}

/** What an apply changed, object by object. */
export function PlanDetails({ changes }: { changes: readonly ConfigurationChange[] }) {
  const { i18n } = useLingui()
  return (
    <ul>
      {changes.map(({ kind, name, action, members }) => {
        const kindText = kindTexts[kind]
        return (
          <li key={`${kind}/${name}`}>
            {i18n._(actionTexts[action])}: {kindText === undefined ? kind : i18n._(kindText)} <bdi>{name}</bdi>
            {members.length > 0 && (
              <span dir="ltr"> ({members.map(({ pointer }) => pointer.slice(2)).join(', ')})</span>
            )}
          </li>
        )
      })}
    </ul>
  )
}
