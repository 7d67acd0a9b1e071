import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack } from '@mantine/core'
import { useState } from 'react'
import type { User } from 'rollbook/client'
import { api } from '../../../api/client.ts'
import { useCan } from '../../../api/me.ts'
import { ApiCallButton } from '../../../api-call/button.tsx'
import { userKey } from '../../../data/users.ts'
import { dayOfEnd, endOfDay, endState, formatEnd } from '../../../parts/end-date/end-date.ts'
import { EndDateField } from '../../../parts/end-date/end-date-field.tsx'
import { Problem } from '../../../ui/problem.tsx'
import { Section } from '../../../ui/section.tsx'
import { showToast } from '../../../ui/toasts.tsx'
import { useSubmit } from '../../../ui/use-submit.ts'

/** When the access of a user ends. */
export function EndDateSection({ user }: { user: User }) {
  const { user_id, expires_at } = user
  const { t } = useLingui()
  const mayWrite = useCan('users:write', user)
  if (!mayWrite && expires_at === undefined) return null
  return (
    <Section title={t`End of access`}>
      <Stack gap="md">
        <EndText expires_at={expires_at} />
        {mayWrite && <Form key={expires_at} user_id={user_id} expires_at={expires_at} />}
      </Stack>
    </Section>
  )
}

function EndText({ expires_at }: Pick<User, 'expires_at'>) {
  const { i18n } = useLingui()
  if (expires_at === undefined) return <Trans>The access does not end by itself.</Trans>
  const time = formatEnd(expires_at, i18n.locale)
  const isOver = endState(expires_at, Date.now())?.state === 'over'
  return isOver ? <Trans>Expired: the access ended on {time}.</Trans> : <Trans>The access ends on {time}.</Trans>
}

function Form({ user_id, expires_at }: Pick<User, 'user_id' | 'expires_at'>) {
  const { t } = useLingui()
  const [day, setDay] = useState(dayOfEnd(expires_at))
  const patch = { expires_at: day === '' ? null : endOfDay(day) }
  const { submit, isPending, error } = useSubmit(() => api.users.update(user_id, () => patch), {
    stale: [['users'], userKey(user_id)],
    onSuccess: () => showToast({ message: day === '' ? t`The end date was removed.` : t`The end date was saved.` }),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit(patch)
      }}
    >
      <Stack gap="md">
        <EndDateField day={day} onChange={setDay} />
        {error && <Problem error={error} title={t`Nothing was saved.`} />}
        <Group gap={8}>
          <Button type="submit" loading={isPending} disabled={day === dayOfEnd(expires_at)}>
            <Trans>Save end date</Trans>
          </Button>
          <ApiCallButton calls={[{ operation: 'PATCH /users/{user_id}', path: { user_id }, body: patch }]} />
        </Group>
      </Stack>
    </form>
  )
}
