import { useLingui } from '@lingui/react/macro'
import { Textarea } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { label: string; value: string; onChange: (text: string) => void; error?: ReactNode; isFirst?: boolean }

/** The field for a list of people from another program. */
export function PastedList({ label, value, onChange, error, isFirst = false }: Props) {
  const { t } = useLingui()
  return (
    <Textarea
      label={label}
      description={t`Usernames, email addresses or user IDs, separated by commas, semicolons, tabs or lines. “Ada Lovelace <ada@example.com>” works too.`}
      rows={isFirst ? 8 : 4}
      dir="auto"
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
      {...(isFirst && { 'data-autofocus': true })}
    />
  )
}
