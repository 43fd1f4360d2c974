export const PlanView = () => <h1>Plan</h1>;
