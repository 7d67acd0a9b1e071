import { defineConfig } from '@lingui/conf'
import { formatter } from '@lingui/format-po'
import { createSwcExtractor } from '@lingui/native-tools'

// Arabic verifies that the pages work from right to left.
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de', 'ar'],
  fallbackLocales: { default: 'en' },
  catalogs: [{ path: '<rootDir>/src/locales/{locale}', include: ['src'] }],
  extractors: [createSwcExtractor()],
  // Line numbers would change with every edit.
  format: formatter({ lineNumbers: false }),
})
