import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { dayIn } from './end-date.ts'

type Props = {
  /** Such as 2026-12-31; empty without an end. */
  day: string
  onChange: (day: string) => void
  error?: ReactNode
  /** What ends, if it is not the access of a user. */
  label?: string
  description?: string
}

/** A day, with buttons for the usual periods. */
export function EndDateField({ day, onChange, error, label, description }: Props) {
  const { t } = useLingui()
  const periods = [
    { days: 7, label: t`7 days` },
    { days: 30, label: t`30 days` },
    { days: 90, label: t`90 days` },
  ]
  return (
    <Stack gap={8}>
      <TextInput
        type="date"
        label={label ?? t`Access ends`}
        description={description ?? t`At the end of this day in UTC. Empty: the access does not end.`}
        data-path="expires_at"
        value={day}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <Group gap={8}>
        {periods.map(({ days, label }) => (
          <Button key={days} size="xs" variant="default" onClick={() => onChange(dayIn(days, Date.now()))}>
            {label}
          </Button>
        ))}
        {day !== '' && (
          <Button size="xs" variant="default" onClick={() => onChange('')}>
            <Trans>No end</Trans>
          </Button>
        )}
      </Group>
    </Stack>
  )
}
