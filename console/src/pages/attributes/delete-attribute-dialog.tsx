import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Attribute } from 'rollbook/client'
import { api } from '../../api/client.ts'
import { ApiCallButton } from '../../api-call/button.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Problem } from '../../ui/problem.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSubmit } from '../../ui/use-submit.ts'

type Props = { attribute: Attribute; onClose: () => void }

export default function DeleteAttributeDialog({ attribute: { name, label }, onClose }: Props) {
  const { t } = useLingui()
  const queries = useQueryClient()
  const trial = useQuery({
    queryKey: ['attributes', name, 'deletion'],
    queryFn: ({ signal }) => api.attributes.delete(name, { dryRun: true, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  })
  const { submit, isPending, error } = useSubmit((one: string) => api.attributes.delete(one), {
    onSuccess() {
      for (const queryKey of [['attributes'], ['users']]) void queries.invalidateQueries({ queryKey })
      showToast({ message: t`The attribute ${label} was deleted.` })
      onClose()
    },
  })
  const problem = error ?? trial.error
  return (
    <Dialog isOpen onClose={onClose} title={t`Delete the attribute ${label}?`}>
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
      {problem && <Problem error={problem} title={t`The attribute was not deleted.`} />}
      <DialogFoot
        aside={<ApiCallButton size="xs" calls={[{ operation: 'DELETE /attributes/{name}', path: { name } }]} />}
      >
        <Button variant="default" onClick={onClose} data-autofocus>
          <Trans>Cancel</Trans>
        </Button>
        <Button color="red.9" loading={isPending || trial.isPending} onClick={() => submit(name)}>
          <Trans>Delete attribute</Trans>
        </Button>
      </DialogFoot>
    </Dialog>
  )
}
