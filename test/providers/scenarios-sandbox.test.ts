import { providerScenarios } from '../contract/provider-scenarios.contract.ts';
import { SANDBOX_TARGETS, SCHEDULING_TARGET } from './provider-targets.ts';

for (const target of [...SANDBOX_TARGETS, SCHEDULING_TARGET]) providerScenarios(target);
