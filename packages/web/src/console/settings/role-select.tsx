import type { Role } from '@badge/sdk';
import { useTranslation } from 'react-i18next';
import { SelectField } from '../../design/select-field.tsx';
import { ROLES } from '../session/session.ts';

export function RoleSelect({ value, onChange }: { value: Role; onChange: (role: Role) => void }) {
  const { t } = useTranslation('console');
  return (
    <SelectField
      label={t('members.role')}
      value={value}
      onChange={(event) => onChange(event.target.value as Role)}
    >
      {ROLES.map((role) => (
        <option key={role} value={role}>
          {t(`roles.${role}`)}
        </option>
      ))}
    </SelectField>
  );
}
