import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Attribute } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { useFileLock } from '../../parts/managed/managed-by-file.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { attribute: Attribute; onClose: () => void }

export default function DeleteAttributeDialog({ attribute, onClose }: Props) {
  const { t } = useLingui()
  const { name, label } = attribute
  const lock = useFileLock(attribute)
  const trial = useQuery({
    queryKey: ['attributes', name, 'deletion'],
    queryFn: ({ signal }) => api.attributes.delete(name, { ...lock.howToTry, dryRun: true, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const { submit, isPending, error } = useSubmit((one: string) => api.attributes.delete(one, lock.how), {
    stale: [['attributes'], ['users']],
    onSuccess() {
      showToast({ message: t`The attribute ${label} was deleted.` })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t`Delete the attribute ${label}?`}
      sending={{ isPending: isPending || trial.isPending, error: error ?? trial.error }}
      refusal={t`The attribute was not deleted.`}
      calls={[{ operation: 'DELETE /attributes/{name}', path: { name }, query: lock.how }]}
      action={<Trans>Delete attribute</Trans>}
      isDangerous
      onConfirm={() => submit(name)}
      isDisabled={lock.isLocked}
      onClose={onClose}
    >
      {lock.notice}
      {trial.data === undefined && !trial.error && <Skeleton height={14} width="60%" />}
      {trial.data !== undefined && (
        <p>
          <Plural
            value={trial.data.values_removed}
            _0="No user has a value."
            one="# user loses a value. This cannot be undone."
            other="# users lose their values. This cannot be undone."
          />
        </p>
      )}
    </ConfirmDialog>
  )
}
