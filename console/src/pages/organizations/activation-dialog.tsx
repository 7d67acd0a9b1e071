import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Organization } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { changedByOrganizations } from '../../data/organizations.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { Consequences } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { organization: Organization; onClose: () => void }

/** Disables the organization, or enables it again. */
export default function ActivationDialog({ organization, onClose }: Props) {
  const { organization_id, name, active, user_count } = organization
  const { t } = useLingui()
  const lock = useFileLock(organization)
  const { submit, ...sending } = useSubmit(
    (next: boolean) => api.organizations.update(organization_id, { active: next }, lock.how),
    {
      stale: [...changedByOrganizations, ['keys'], ['statistics']],
      onSuccess({ active: isActive }) {
        showToast({ message: isActive ? t`${name} is enabled.` : t`${name} is disabled.` })
        onClose()
      },
    },
  )
  return (
    <ConfirmDialog
      title={active ? t`Disable ${name}?` : t`Enable ${name}?`}
      sending={sending}
      refusal={t`The organization was not changed.`}
      calls={[
        {
          operation: 'PATCH /organizations/{organization_id}',
          path: { organization_id },
          query: lock.how,
          body: { active: !active },
        },
      ]}
      action={active ? <Trans>Disable organization</Trans> : <Trans>Enable organization</Trans>}
      isDangerous={active}
      focus={active ? 'cancel' : 'action'}
      isDisabled={lock.isLocked}
      onConfirm={() => submit(!active)}
      onClose={onClose}
    >
      {lock.notice}
      <Consequences>
        {active ? (
          <>
            <li>
              <Plural
                value={user_count}
                _0="It has no users."
                one="# user is signed out everywhere within a second, and cannot sign in."
                other="# users are signed out everywhere within a second, and cannot sign in."
              />
            </li>
            <li>
              <Trans>Its keys, connections and links are refused. They work again when it is enabled.</Trans>
            </li>
          </>
        ) : (
          <>
            <li>
              <Trans>Its users can sign in again. Their earlier sessions stay ended.</Trans>
            </li>
            <li>
              <Trans>Its keys and connections work again.</Trans>
            </li>
          </>
        )}
      </Consequences>
    </ConfirmDialog>
  )
}
