import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Attribute } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ConfirmDialog } from '../../layout/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { attribute: Attribute; onClose: () => void }

export default function DeleteAttributeDialog({ attribute: { name, label }, onClose }: Props) {
  const { t } = useLingui()
  const trial = useQuery({
    queryKey: ['attributes', name, 'deletion'],
    queryFn: ({ signal }) => api.attributes.delete(name, { dryRun: true, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const { submit, isPending, error } = useSubmit((one: string) => api.attributes.delete(one), {
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
      calls={[{ operation: 'DELETE /attributes/{name}', path: { name } }]}
      action={<Trans>Delete attribute</Trans>}
      isDangerous
      onConfirm={() => submit(name)}
      onClose={onClose}
    >
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
