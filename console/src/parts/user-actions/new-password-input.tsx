import { Trans, useLingui } from '@lingui/react/macro'
import { Button, PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useState } from 'react'
import { generatePassword } from './new-password.ts'
import styles from './new-password-input.module.css'

type Props = Omit<PasswordInputProps, 'value' | 'onChange' | 'visible' | 'onVisibilityChange'> & {
  value: string
  onValue: (value: string) => void
}

/** A field for a new password: typed, or generated and then shown. */
export function NewPasswordInput({ value, onValue, ...props }: Props) {
  const { t } = useLingui()
  const [isVisible, setIsVisible] = useState(false)
  return (
    <PasswordInput
      label={t`Password`}
      description={t`At least 15 characters. All characters are allowed, including spaces.`}
      autoComplete="new-password"
      spellCheck={false}
      dir="ltr"
      {...props}
      // The field does not set this.
      aria-invalid={Boolean(props.error) || undefined}
      value={value}
      onChange={(event) => onValue(event.currentTarget.value)}
      visible={isVisible}
      onVisibilityChange={setIsVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': isVisible ? t`Hide the password` : t`Show the password` }}
      inputContainer={(input) => (
        <div className={styles.row}>
          <div className={styles.input}>{input}</div>
          <Button
            variant="default"
            onClick={() => {
              onValue(generatePassword())
              setIsVisible(true)
            }}
          >
            <Trans>Generate</Trans>
          </Button>
        </div>
      )}
    />
  )
}
